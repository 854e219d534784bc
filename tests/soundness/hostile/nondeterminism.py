# ruff: noqa
"""What is different at every moment or in every process."""

import os
import pprint
import secrets
import string
import threading
import time
import urllib.parse
import uuid
from datetime import datetime


def map_time(t):
    return time.time_ns()


def map_perf_counter(t):
    return time.perf_counter()


def map_now(t):
    return datetime.now().isoformat()


def map_uuid(t):
    return str(uuid.uuid4())


def map_urandom(t):
    return os.urandom(8)


def map_secrets(t):
    return secrets.token_hex(8)


def map_process(t):
    return os.getpid()


def map_times(t):
    return time.monotonic_ns()


def map_identity(t):
    return id(object()) + time.perf_counter_ns()


def map_alias_of_time(t):
    clock = time.perf_counter_ns
    return clock()


def map_time_by_name(t):
    return getattr(time, "perf_" + "counter_ns")()


def map_time_as_default(t, clock=time.perf_counter_ns):
    return clock()


class Nameless:
    pass


def map_error_text(t):
    try:
        return [t.n].index(Nameless())
    except ValueError as error:
        return str(error)


def map_template_text(t):
    return string.Template("$x").substitute(x=Nameless())


def map_pretty_text(t):
    return pprint.pformat([Nameless()])


def map_query_text(t):
    return urllib.parse.urlencode({"x": Nameless()})
