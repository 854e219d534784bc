"""PageRank: parts of the rank vector go round a loop until the ranks hardly change any more.

The pages fall into blocks. `spread` gives, for the ranks of a block, what its links add to every
page; `added` puts the sums of all blocks together into the next ranks.
"""

from collections.abc import Iterator

import anabranch as ab

PAGES = ab.param("pages", 400)
LINKS = ab.param("links", 8)
BLOCKS = ab.param("blocks", 4)
DAMPING = 0.85
TOLERANCE = ab.param("tolerance", 1e-10)


class Ranks(ab.Record):
    block: int
    values: list[float]
    settled: bool


class Links(ab.State):
    targets: list[list[int]] = []


class Sums(ab.Record):
    block: int
    before: list[float]
    values: list[float]


class Vector(ab.State):
    blocks: int = 0
    before: list[float] = []
    sums: list[float] = []


class Ranked(ab.Record):
    page: int
    rank: float


def pages_of(block: int) -> range:
    return range(block * PAGES // BLOCKS, (block + 1) * PAGES // BLOCKS)


def targets_of(page: int) -> list[int]:
    """Where the links of a page go; pages with small numbers are more popular."""
    links = range(page * LINKS, (page + 1) * LINKS)
    return [min(ab.noise(n) % PAGES, ab.noise(n, 1) % PAGES) for n in links]


@ab.operator(by="block")
def spread(links: Links, ranks: Ranks) -> Iterator[Sums]:
    if not links.targets:
        links.targets = [targets_of(page) for page in pages_of(ranks.block)]
    sums = [0.0] * PAGES
    for targets, rank in zip(links.targets, ranks.values):
        share = rank / LINKS
        for target in targets:
            sums[target] += share
    yield Sums(ranks.block, ranks.values, sums)


@ab.operator
def added(vector: Vector, s: Sums) -> Iterator[Ranks]:
    vector.before = [*vector.before, *s.before]
    vector.sums = [a + b for a, b in zip(vector.sums, s.values)] if vector.sums else s.values
    vector.blocks += 1
    if vector.blocks == BLOCKS:
        ranks = [(1 - DAMPING) / PAGES + DAMPING * total for total in vector.sums]
        change = sum(abs(a - b) for a, b in zip(ranks, vector.before))
        for block in range(BLOCKS):
            pages = pages_of(block)
            yield Ranks(block, ranks[pages.start:pages.stop], change < TOLERANCE)
        vector.blocks, vector.before, vector.sums = 0, [], []


def iterated(ranks: ab.Stream[Ranks]) -> tuple[ab.Stream[Ranks], ab.Stream[Ranks]]:
    return ranks.apply(spread).apply(added).split(lambda r: r.settled)


def listed(r: Ranks) -> list[Ranked]:
    return [Ranked(page, rank) for page, rank in zip(pages_of(r.block), r.values)]


def start(pages: int) -> list[Ranks]:
    return [Ranks(block, [1 / pages for _ in pages_of(block)], False) for block in range(BLOCKS)]


graph = ab.from_iterable([PAGES], int, name="graph")
graph.flat_map(start).loop(iterated).flat_map(listed).write_stdout()
