"""Tuples over sockets of this machine, and programs of several files."""

from __future__ import annotations

import socket
import threading
from contextlib import closing

import pytest

from anabranch.compile import load
from anabranch.core.errors import AnabranchError
from lang.spl.spl_support import printed

SOURCE = """composite Main {{ graph
  stream<int32 id, rstring s> In = {kind}() {{ param {parameters} format: csv; }}
  () as Show = Custom(In) {{ logic onTuple In: printStringLn(s + (rstring) (id + 1)); }} }}"""
SINK = """composite Main {{ graph
  stream<int32 id, rstring s> In = Beacon() {{ param iterations: 3;
    output In: id = (int32) IterationCount(), s = "x"; }}
  () as Out = {kind}(In) {{ param {parameters} format: csv; }} }}"""
ENGINES = ({"engine": "sequential"}, {"engine": "multicore", "workers": 2})


@pytest.fixture
def port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


def tcp(role: str, port: int) -> str:
    return f'role: {role}; address: "127.0.0.1"; port: {port}u;'


def beside(action) -> threading.Thread:
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    return thread


def connected(port: int) -> socket.socket:
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            pass


@pytest.mark.parametrize("options", ENGINES, ids=lambda o: o["engine"])
def test_a_client_reads_to_the_end(port, options):
    with socket.create_server(("127.0.0.1", port)) as server:
        def serve():
            with server.accept()[0] as client:
                client.sendall(b'1,"a"\n2,"b"\n')
        other = beside(serve)
        text = SOURCE.format(kind="TCPSource", parameters=tcp("client", port))
        assert printed(text, **options) == "a2\nb3\n"
        other.join()


def test_a_server_reads_to_the_end(port):
    def send():
        with connected(port) as client:
            client.sendall(b'7,"a"\n')
    other = beside(send)
    assert printed(SOURCE.format(kind="TCPSource", parameters=tcp("server", port))) == "a8\n"
    other.join()


@pytest.mark.parametrize("options", ENGINES, ids=lambda o: o["engine"])
def test_a_client_and_a_server_write(port, options):
    got = []
    with socket.create_server(("127.0.0.1", port)) as server:
        def take():
            with server.accept()[0] as client, client.makefile() as stream:
                got.append(stream.read())
        other = beside(take)
        printed(SINK.format(kind="TCPSink", parameters=tcp("client", port)), **options)
        other.join()

    def read():
        with connected(port) as client, client.makefile() as stream:
            got.append(stream.read())
    other = beside(read)
    printed(SINK.format(kind="TCPSink", parameters=tcp("server", port)), **options)
    other.join()
    assert got == ['0,"x"\n1,"x"\n2,"x"\n'] * 2


def test_datagrams(port):
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as own:
        own.bind(("127.0.0.1", port))
        printed(SINK.format(kind="UDPSink", parameters=f'address: "127.0.0.1"; port: {port};'))
        assert [own.recv(100) for _ in range(3)] == [b'0,"x"\n', b'1,"x"\n', b'2,"x"\n']


def test_nobody_there(port, monkeypatch):
    monkeypatch.setattr("anabranch.lang.spl.sockets.PATIENCE", 0.0)
    with pytest.raises(AnabranchError, match=r"the socket tcp://127.0.0.1:\d+ \(client\) failed"):
        printed(SINK.format(kind="TCPSink", parameters=tcp("client", port)))


MAIN = """namespace my.app;
use my.words::Doubled;
composite Main {
  graph
    stream<Word> In = Beacon() { param iterations: 2; output In: text = decorated("a"); }
    stream<In> Twice = Doubled(In) {}
    () as Show = Custom(Twice) { logic onTuple Twice: printStringLn(text); }
}"""
BESIDE = """namespace my.app;
type Word = tuple<rstring text>;
rstring decorated(rstring s) { return "<" + s + ">"; }
composite Main { graph () as X = FileSink(Nothing) { param file: "x"; } }"""
USED = """namespace my.words;
public composite Doubled(input In; output Out) {
  graph stream<In> Out = Functor(In) { output Out: text = text + text; } }"""


def test_a_program_of_several_files(tmp_path):
    for name, text in (("my.app/Main.spl", MAIN), ("my.app/Words.spl", BESIDE),
                       ("my.words/Doubled.spl", USED), ("my.app/Other.spl", "namespace b; {")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    graph = load(tmp_path / "my.app" / "Main.spl")
    assert [op.name for op in graph][:3] == ["In", "Twice", "Show"]
    assert printed(MAIN, str(tmp_path / "my.app" / "Main.spl")) == "<a><a>\n" * 2
