"""Whatever ends a run early leaves nothing behind: no part of a sink, no process, no other file.

The message and the exit status are ours.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from anabranch.core.scratch import scratch_folder

PROGRAM = """\
import os, signal, sys, time
import anabranch as ab

class Row(ab.Record):
    k: int
    v: int

def deed(t: Row) -> Row:
    {deed}
    return t

rows = {source}
rows.map(deed).write_{format}("{out}", name="out")
"""
CSV = 'ab.read_csv("in.csv", Row)'
ENGINES = {"sequential": ["--engine", "sequential"],
           "threads": ["--engine", "multicore", "--workers", "2", "--tune", "processes=never"],
           "processes": ["--engine", "multicore", "--workers", "2", "--tune", "processes=always",
                         "--tune", "kernels=never"]}
OLD = "an earlier result\n"
SHM = Path("/dev/shm")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with an input, an earlier result, and a place of its own for temporary files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in.csv").write_text("k,v\n" + "".join(f"{n % 7},{n}\n" for n in range(5000)))
    (tmp_path / "out" / "x.csv").write_text(OLD)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path


def heeding() -> None:
    """What nohup has the tests ignore, a run would ignore as well."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def started(engine: str, deed: str = "pass", source: str = CSV, format: str = "csv",
            out: str = "out/x.csv", arguments=(), **options) -> subprocess.Popen:
    Path("p.py").write_text(PROGRAM.format(deed=deed, source=source, format=format, out=out))
    options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL,
               "preexec_fn": heeding} | options
    return subprocess.Popen([sys.executable, "-m", "anabranch", "run", "p.py", *ENGINES[engine],
                             *arguments], stderr=subprocess.PIPE, text=True,
                            start_new_session=True, **options)


def ended(process: subprocess.Popen) -> tuple[int, str]:
    """The exit status and the message, when everything is gone."""
    _, message = process.communicate(timeout=60)
    return process.returncode, message


def living(session: int) -> list[int]:
    """The processes of a session that are at work."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own = status.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state != "Z":
            found.append(int(status.parent.name))
    return found


def check_nothing_left(process: subprocess.Popen, shared: set[str], old: bool = True) -> None:
    deadline = time.monotonic() + 5
    while living(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert living(process.pid) == []
    assert os.listdir("tmp") == []
    assert {name for name in os.listdir(SHM) if "anabranch" in name or "psm_" in name} == shared
    assert os.listdir("out") == (["x.csv"] if old else [])
    assert not old or Path("out/x.csv").read_text() == OLD


@pytest.fixture
def shared():
    return {name for name in os.listdir(SHM) if "anabranch" in name or "psm_" in name}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception(place, shared, engine):
    process = started(engine, "1 // (t.v - 3000)")
    status, message = ended(process)
    assert status == 1
    assert message.startswith("error: deed raised ZeroDivisionError while handling a tuple")
    check_nothing_left(process, shared)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", ["os._exit(7)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_function_that_ends_its_process(place, shared, engine, how):
    process = started(engine, f"t.v == 3000 and {how}")
    status, message = ended(process)
    # What has effects is called by the run itself: nobody is left to clean up. The next run does.
    assert status == (7 if "exit" in how else -9)
    assert message.startswith("error: a function has ended the process: os._exit(7)\n  --> ") \
        if "exit" in how else message == ""
    assert Path("out/x.csv").read_text() == OLD
    assert ended(started(engine))[0] == 0
    assert os.listdir("out") == ["x.csv"]


WAITING = 'ab.read_stdin(Row)'
SIGNALS = {signal.SIGTERM: (143, "terminated\n"), signal.SIGINT: (130, "interrupted\n"),
           signal.SIGHUP: (129, "hung up\n")}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", SIGNALS, ids=lambda s: s.name)
@pytest.mark.parametrize("out", ["out/x.csv", "out/parts/"])
def test_a_signal(place, shared, engine, number, out):
    process = started(engine, source=WAITING, out=out, stdin=subprocess.PIPE)
    process.stdin.write("k,v\n1,2\n")
    process.stdin.flush()
    while len(os.listdir("out")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    # All have started when the first row is through, which nobody can see.
    time.sleep(0.3)
    os.kill(process.pid, number)
    assert ended(process) == SIGNALS[number]
    check_nothing_left(process, shared)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_whole_group_is_interrupted(place, shared, engine):
    """As a terminal does it."""
    process = started(engine, "time.sleep(0.001)")
    while len(os.listdir("out")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    assert ended(process) == SIGNALS[signal.SIGINT]
    check_nothing_left(process, shared)


def test_busy_workers_end_with_the_run(place):
    process = started("processes", "for n in range(10**9): n * n")
    while len(living(process.pid)) < 3:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 5
    while living(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert living(process.pid) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_run(place, engine):
    """It cannot clean up: its processes go, and the next run takes over what it left."""
    process = started(engine, source=WAITING, stdin=subprocess.PIPE)
    process.stdin.write("k,v\n1,2\n")
    process.stdin.flush()
    while len(os.listdir("out")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 5
    while living(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert living(process.pid) == []
    assert Path("out/x.csv").read_text() == OLD
    assert ended(started(engine))[0] == 0
    assert os.listdir("out") == ["x.csv"]
    assert Path("out/x.csv").read_text().startswith("k,v\n0,0\n")


SLOW = "for n in range(20_000): n * n"


def test_a_killed_worker(place, shared):
    process = started("processes", SLOW)
    while len(workers := [pid for pid in living(process.pid) if pid != process.pid]) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)
    status, message = ended(process)
    assert status == 1
    assert message.startswith(f"error: a worker process (pid {workers[0]}) was killed by SIGKILL "
                              "while it worked\n")
    check_nothing_left(process, shared)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("out", ["out/x.csv", "out/parts/"])
def test_no_room(place, shared, engine, format, out):
    process = started(engine, format=format, out=out, preexec_fn=small_files)
    status, message = ended(process)
    assert status == 1
    if engine == "processes":
        assert message.startswith("error: there is no room for what worker processes give each "
                                  "other: File too large\n")
    else:
        assert message.startswith(f"error: cannot write '{out}': ")
        assert "File too large" in message.splitlines()[0]
    check_nothing_left(process, shared)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_device(place, shared, engine):
    status, message = ended(process := started(engine, out="/dev/full"))
    assert (status, message.splitlines()[0]) == (
        1, "error: cannot write '/dev/full': No space left on device")
    check_nothing_left(process, shared)
    with open("/dev/full", "w") as full:
        process = started(engine, arguments=["--output", "out=-"], stdout=full)
        status, message = ended(process)
    assert (status, message.splitlines()[0]) == (
        1, "error: cannot write to standard output: [Errno 28] No space left on device")
    check_nothing_left(process, shared)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_room_for_diverted_rows(place, shared, engine):
    Path("in.csv").write_text("k,v\n" + "x,y\n" * 20_000)
    process = started(engine, arguments=["--on-error", "divert=out/bad.jsonl"],
                      preexec_fn=small_files)
    status, message = ended(process)
    assert status == 1
    assert message.startswith("error: cannot write 'out/bad.jsonl': File too large")
    check_nothing_left(process, shared)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reader_that_goes_away(place, shared, engine):
    Path("in.csv").write_text("k,v\n" + "".join(f"{n % 7},{n}\n" for n in range(200_000)))
    process = started(engine, arguments=["--output", "out=-"])
    assert process.stdout.readline() == "k,v\n"
    process.stdout.close()
    process.stdout = None
    assert ended(process) == (0, "")
    check_nothing_left(process, shared)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_that_may_not_be_written(place, shared, engine):
    os.chmod("out", 0o500)
    status, message = ended(process := started(engine))
    os.chmod("out", 0o700)
    assert (status, message.splitlines()[0]) == (
        1, "error: cannot write 'out/x.csv': permission denied")
    check_nothing_left(process, shared)

OWN = {"sequential": {"engine": "sequential"}, "threads": {"engine": "multicore", "workers": 2},
       "processes": {"engine": "multicore", "workers": 2,
                     "tune": {"processes": "always", "kernels": "never"}}}


@pytest.mark.parametrize("engine", OWN)
@pytest.mark.parametrize("handled", [False, True], ids=["", "with a handler of its own"])
def test_a_program_that_runs_itself_is_asked_to_end(place, shared, engine, handled):
    """It dies of the signal, as without us, or does what its own handler says."""
    slow = PROGRAM.format(deed="time.sleep(0.02)", source=CSV, format="csv", out="out/x.csv")
    own = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n" if handled else ""
    Path("p.py").write_text(
        f"{slow.rstrip()}.run(**{OWN[engine]})\n".replace("rows = ", f"{own}rows = "))
    process = subprocess.Popen([sys.executable, "p.py"], stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    deadline = time.monotonic() + 30
    while ".x.csv.tmp" not in os.listdir("out") and time.monotonic() < deadline:
        time.sleep(0.02)
    process.terminate()
    assert ended(process) == (5 if handled else -15, "")
    check_nothing_left(process, shared)


def test_what_a_killed_process_leaves_the_next_one_removes(place, monkeypatch):
    """No matter how it died; what somebody still uses stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(place / "tmp"))
    left = "import os, sys; from anabranch.core.scratch import scratch_to_the_end as made; " \
           "print(made('test'), flush=True); {}"
    own = "os.kill(os.getpid(), 9)", "sys.stdin.read()", "pass"
    killed, working, done = (subprocess.Popen(
        [sys.executable, "-c", left.format(end)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True) for end in own)
    folders = [process.stdout.readline().strip() for process in (killed, working, done)]
    killed.communicate()
    done.communicate()
    for folder in folders[:2]:
        os.utime(folder, (0, 0))
    assert not os.path.exists(folders[2])
    with scratch_folder("test") as another:
        assert sorted(os.listdir("tmp")) == sorted([os.path.basename(folders[1]), another.name])
    working.communicate("")
    assert os.listdir("tmp") == []


def test_a_request_to_end_that_python_drops_is_made_again():
    """Python drops an exception that a signal raises while an object is deleted."""
    code = """
import os, signal, sys, time
from anabranch.runtime.termination import terminable

class Deleted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)

with terminable():
    try:
        Deleted()
        time.sleep(20)
    except KeyboardInterrupt:
        print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def bare(redirected: str, *arguments: str) -> subprocess.CompletedProcess:
    """The command with standard streams that the shell closes, or sends elsewhere."""
    Path("p.py").write_text(PROGRAM.format(deed="pass", source=CSV, format="csv", out="out/x.csv"))
    given = [sys.executable, "-m", "anabranch", "run", "p.py", *arguments]
    return subprocess.run(["sh", "-c", f'"$@" {redirected}', "sh", *given], timeout=60,
                          capture_output=True, text=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full", "<&- >&- 2>&-", ">&-"])
def test_a_run_does_not_need_what_it_does_not_use(place, engine, redirected):
    """No file gets the number of a closed stream, and a message that nobody reads is no failure."""
    assert bare(redirected, *ENGINES[engine]).returncode == 0
    lines = Path("out/x.csv").read_text().splitlines()
    assert (len(lines), lines[:2]) == (5001, ["k,v", "0,0"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("redirected, arguments, message", [
    (">&-", "--output out=-", "cannot write to standard output: [Errno 9] Bad file descriptor"),
    ("<&-", "--input rows=-", "cannot read standard input: [Errno 9] Bad file descriptor")])
def test_a_stream_that_is_closed_is_named(place, shared, engine, redirected, arguments, message):
    done = bare(redirected, *ENGINES[engine], *arguments.split())
    first = done.stderr.splitlines()[0]
    assert (done.returncode, done.stdout, first) == (1, "", f"error: {message}")
    assert Path("out/x.csv").read_text() == OLD


@pytest.mark.parametrize("redirected, arguments", [("2>/dev/full", "--limit 3 --input rows=x"),
                                                   ("2>&-", "--limit 3 --input rows=x")])
def test_a_failure_that_cannot_be_told_is_one(place, redirected, arguments):
    assert bare(redirected, *ENGINES["sequential"], *arguments.split()).returncode == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stuck", ["time.sleep(1000)", "[0 for n in iter(int, 1)]"])
def test_a_stuck_function_is_interrupted_at_once(place, engine, stuck):
    process = started(engine, stuck)
    while len(os.listdir("out")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    assert ended(process) == SIGNALS[signal.SIGINT]
    # The machine may be busy; it was five seconds and more.
    assert time.monotonic() - began < 4
