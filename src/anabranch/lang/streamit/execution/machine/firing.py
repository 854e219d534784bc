"""What the code of machines calls: which actor can fire how often, moved items.

    A   for each actor its kind, how many inputs and outputs it has, where their ports begin, and
        where those of a first firing begin
    P   for each port its channel, how many items are looked at, or whether those that are given lie
        in the buffer already, and how many are taken or given
    H   for each channel where its buffer begins, its capacity, where its items begin and end, and
        the next one of those that share its buffer
    G   for each actor how often it may fire still, how often it has, and how often it is silent
"""

from __future__ import annotations

from numba import njit

from anabranch.kernels.native import cache  # noqa: F401 (machines move records of many sizes)

KIND, INPUTS, OUTPUTS, INTO, OUT, FIRST_INTO, FIRST_OUT, HAS_FIRST = range(8)
CHANNEL, PEEK, RATE = range(3)
SHARED = PEEK
BEGIN, CAPACITY, HEAD, TAIL, NEXT = range(5)
ALLOWED, FIRED, SILENT = range(3)
inlined = njit(cache=True, nogil=True, error_model="numpy")


@inlined
def is_first(A, G, a):
    return A[a, HAS_FIRST] == 1 and G[a, FIRED] == 0


@inlined
def possible(A, P, H, G, a):
    """How often an actor can fire now, with the items and the room that there are."""
    first = is_first(A, G, a)
    n = min(G[a, ALLOWED], 1) if first else G[a, ALLOWED]
    into = A[a, FIRST_INTO] if first else A[a, INTO]
    for port in range(into, into + A[a, INPUTS]):
        c, pop = P[port, CHANNEL], P[port, RATE]
        spare = H[c, TAIL] - H[c, HEAD] - max(P[port, PEEK], pop)
        if spare < 0:
            return 0
        if pop:
            n = min(n, spare // pop + 1)
    out = A[a, FIRST_OUT] if first else A[a, OUT]
    for port in range(out, out + A[a, OUTPUTS]):
        c, push = P[port, CHANNEL], P[port, RATE]
        if push and not P[port, SHARED]:
            n = min(n, room(H, c) // push)
    return n


@inlined
def room(H, c):
    """How many items a channel has room for."""
    return H[c, CAPACITY] - H[c, TAIL] + first_held(H, c)


@inlined
def first_held(H, c):
    """The first place in a channel's buffer that somebody has still to read."""
    held = H[c, HEAD]
    while H[c, NEXT] >= 0:
        c = H[c, NEXT]
        held = min(held, H[c, HEAD])
    return held


@inlined
def make_room(buffer, H, c, items):
    """Moves the items in a buffer to its beginning when so many more do not fit behind them. It is
    twice as large as its capacity, so that a full one is not moved for every new item."""
    if H[c, TAIL] + items > 2 * H[c, CAPACITY]:
        begin, moved = H[c, BEGIN], first_held(H, c)
        for i in range(H[c, TAIL] - moved):
            buffer[begin + i] = buffer[begin + moved + i]
        while c >= 0:
            H[c, HEAD] -= moved
            H[c, TAIL] -= moved
            c = H[c, NEXT]


@inlined
def copied(a, n, A, P, H, buffer):
    """Every item to every output."""
    c = P[A[a, INTO], CHANNEL]
    begin = H[c, BEGIN] + H[c, HEAD]
    for port in range(A[a, OUT], A[a, OUT] + A[a, OUTPUTS]):
        d = P[port, CHANNEL]
        if P[port, SHARED]:
            H[d, TAIL] = H[c, HEAD] + n
            continue
        make_room(buffer, H, d, n)
        end = H[d, BEGIN] + H[d, TAIL]
        for i in range(n):
            buffer[end + i] = buffer[begin + i]
        H[d, TAIL] += n
    H[c, HEAD] += n


@inlined
def strided(buffer, begin, from_step, end, to_step, n, weight):
    """Copies so many items at a time, from places and to places that lie a step apart."""
    for k in range(weight):
        for i in range(n):
            buffer[end + i * to_step + k] = buffer[begin + i * from_step + k]


@inlined
def dealt(a, n, A, P, H, buffer):
    """So many items to each output in turn."""
    c, total = P[A[a, INTO], CHANNEL], P[A[a, INTO], RATE]
    begin = H[c, BEGIN] + H[c, HEAD]
    for port in range(A[a, OUT], A[a, OUT] + A[a, OUTPUTS]):
        d, weight = P[port, CHANNEL], P[port, RATE]
        make_room(buffer, H, d, n * weight)
        end = H[d, BEGIN] + H[d, TAIL]
        strided(buffer, begin, total, end, weight, n, weight)
        begin += weight
        H[d, TAIL] += n * weight
    H[c, HEAD] += n * total


@inlined
def gathered(a, n, A, P, H, buffer):
    """So many items from each input in turn."""
    d, total = P[A[a, OUT], CHANNEL], P[A[a, OUT], RATE]
    make_room(buffer, H, d, n * total)
    end = H[d, BEGIN] + H[d, TAIL]
    for port in range(A[a, INTO], A[a, INTO] + A[a, INPUTS]):
        c, weight = P[port, CHANNEL], P[port, RATE]
        begin = H[c, BEGIN] + H[c, HEAD]
        strided(buffer, begin, weight, end, total, n, weight)
        end += weight
        H[c, HEAD] += n * weight
    H[d, TAIL] += n * total


@inlined
def put(W, code, value):
    """Adds a record: codes, values, and how many there are and what is added to a code. What finds
    no room is only counted."""
    codes, values, counts = W
    n = counts[0]
    if n < codes.size:
        codes[n] = code if code < 0 else code + counts[1]
        values[n] = value
    counts[0] = n + 1
