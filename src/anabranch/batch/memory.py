"""Memory that the processes of a run share: what they give each other lies here.

There is one region for each process, made before the fork. Only its owner allocates in it; all
others read. A region is a file without a name, so nothing is left of it when the last process has
gone, however it went.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import NamedTuple

from anabranch.core.errors import RunError

SMALLEST = 1024
FIRST_SIZE = 1 << 20
CLOSED = -1


class Block(NamedTuple):
    """`size` bytes at a place of a region."""

    region: int
    offset: int
    size: int


class MemoryRegion:
    """A growing file in memory. Blocks have sizes of powers of two, so that they can be used again.

    >>> region = MemoryRegion(0)
    >>> first = region.stored([b"rows"])
    >>> bytes(region.view(first))
    b'rows'
    >>> region.released(first)
    >>> region.stored([b"more", b"rows"]) == first._replace(size=8)
    True
    """

    def __init__(self, index: int):
        self.index, self.file = index, _file_without_name()
        self.map: mmap.mmap | None = None
        self.end = 0
        self.free: dict[int, list[int]] = defaultdict(list)
        # Whatever holds a block may be let go while another is allocated in the same thread.
        self.lock = threading.RLock()

    def stored(self, parts: Iterable[bytes | memoryview]) -> Block:
        """The parts, one behind the other, in a block of their own."""
        parts = [memoryview(part).cast("B") for part in parts]
        size = sum(part.nbytes for part in parts)
        block = self._allocated(size)
        at, view = block.offset, self._mapped(block.offset + size)
        for part in parts:
            view[at:at + part.nbytes] = part
            at += part.nbytes
        return block

    def view(self, block: Block) -> memoryview:
        """The bytes of a block, as long as nobody releases it."""
        end = block.offset + block.size
        return memoryview(self._mapped(end))[block.offset:end]

    def released(self, block: Block) -> None:
        with self.lock:
            self.free[_capacity(block.size)].append(block.offset)

    def _allocated(self, size: int) -> Block:
        capacity = _capacity(size)
        with self.lock:
            if self.free[capacity]:
                return Block(self.index, self.free[capacity].pop(), size)
            offset, self.end = self.end, self.end + capacity
            length = os.fstat(self.file).st_size
            if self.end > length:
                self._grow(max(FIRST_SIZE, 2 * length, self.end))
            return Block(self.index, offset, size)

    def _grow(self, size: int) -> None:
        try:
            os.ftruncate(self.file, size)
        except OSError as error:
            raise RunError(f"there is no room for what worker processes give each other: "
                           f"{error.strerror}",
                           help="--tune processes=never does without them") from None

    def _mapped(self, end: int) -> mmap.mmap:
        """The file as far as `end`; views of an older, shorter map stay good."""
        known = self.map
        if known is None or len(known) < end:
            known = self.map = mmap.mmap(self.file, os.fstat(self.file).st_size)
        return known

    def close(self) -> None:
        # A worker that comes late must not find the file that has this number next.
        file, self.file = self.file, CLOSED
        os.close(file)


class Memory:
    """All regions, as one process sees them: it stores in its own and reads in every one."""

    def __init__(self, processes: int):
        self.regions = [MemoryRegion(index) for index in range(processes + 1)]
        self.own = self.regions[0]
        self.dropped: list[deque[Block]] = [deque() for _ in self.regions]

    def belongs_to(self, region: int) -> None:
        """From now on this is the memory of another process, after a fork."""
        self.own = self.regions[region]

    def stored(self, *parts: bytes | memoryview) -> Block:
        return self.own.stored(parts)

    def view(self, block: Block) -> memoryview:
        return self.regions[block.region].view(block)

    def release(self, block: Block) -> None:
        """Nobody will look at the block again. Its owner is told when it is asked for more."""
        if block.region == self.own.index:
            self.own.released(block)
        else:
            self.dropped[block.region].append(block)

    def released_of(self, region: int) -> list[tuple]:
        """What was released of a region since the last time."""
        waiting = self.dropped[region]
        return [tuple(waiting.popleft()) for _ in range(len(waiting))]

    def close(self) -> None:
        for region in self.regions:
            region.close()


def _capacity(size: int) -> int:
    return max(SMALLEST, 1 << (size - 1).bit_length()) if size else SMALLEST


def _file_without_name() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("anabranch", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
