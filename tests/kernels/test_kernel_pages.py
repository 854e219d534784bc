"""State in pages: they follow the keys touched, and together they hold all state, in its order."""

from __future__ import annotations

from dataclasses import replace

import pytest

import anabranch as ab
from anabranch.batch.record_batch import batch_of, items_of
from kernels.tiers import Program, bits


class Sale(ab.Record):
    shop: str
    n: int
    note: str | None


class Held(ab.State):
    total: int = 0
    last: str | None = None


@ab.operator(by="shop")
def held(state: Held, t: Sale):
    state.total += t.n
    state.last = t.note
    yield t.replace(n=state.total % 1000)


@held.at_end
def rest(state: Held):
    yield Sale("", state.total, state.last)


def twice(t):
    yield t.replace(shop=t.shop + "+")
    yield t


def program(tier: str) -> Program:
    made = Program(ab.from_iterable([], Sale).flat_map(twice).apply(held))
    made.kernel = made.kernel if tier == "native" else made.rows
    return made


def sales(shops, n=1):
    return [Sale(str(shop), n, f"note {shop}" if shop % 2 else None) for shop in shops]


def fed(made: Program, state, items, stamp):
    outputs, _ = made.kernel.run(state, batch_of(items, made.input_type), stamp)
    return items_of(outputs, made.output_type)


@pytest.mark.parametrize("tier", ["native", "rows"])
def test_a_page_has_the_touched_keys_only(tier):
    made = program(tier)
    state = made.kernel.start()
    fed(made, state, sales(range(2000)), 0)
    whole = made.kernel.changed(state)
    assert len(made.kernel.changed(state)) < len(whole) / 20
    fed(made, state, sales([5, 1999]), 2000)
    page = made.kernel.changed(state)
    assert len(page) < len(whole) / 20
    assert b"note 5" in page and b"note 7" in whole and b"note 7" not in page


def test_a_page_of_a_kernel_that_notes_no_keys_has_every_key():
    made = program("native")
    made.kernel = replace(made.kernel, tracks=False)
    state = made.kernel.start()
    fed(made, state, sales(range(9)), 0)
    made.kernel.changed(state)
    fed(made, state, sales([5]), 9)
    page = made.kernel.changed(state)
    assert b"note 5" in page and b"note 7" in page
    assert made.kernel.finish(made.kernel.restored([page]))[0].equals(made.kernel.finish(state)[0])


@pytest.mark.parametrize("tier", ["native", "rows"])
def test_pages_together_are_the_state_in_order(tier):
    made, pages = program(tier), []
    state = made.kernel.start()
    slices = [sales([3, 1]), sales([2, 3], 10), sales([9]), sales([1, 2**40], 100)]
    for stamp, items in enumerate(slices):
        fed(made, state, items, 10 * stamp)
        pages.append(made.kernel.changed(state))
    again = made.kernel.restored(pages[:2])
    again = made.kernel.updated(again, pages[2:3])
    again = made.kernel.updated(again, pages[3:])
    ends = [made.kernel.finish(s) for s in (state, again)]
    assert bits(items_of(ends[0][0], made.output_type)) == bits(
        items_of(ends[1][0], made.output_type))
    assert ends[0][1].tolist() == ends[1][1].tolist()
    more = sales([3, 7], 5)
    assert fed(made, state, more, 99) == fed(made, again, more, 99)


def test_a_whole_page_replaces_those_before():
    made = program("native")
    state = made.kernel.start()
    fed(made, state, sales(range(9)), 0)
    made.kernel.changed(state)
    fed(made, state, sales(range(3), 7), 9)
    whole = made.kernel.changed(state, every=True)
    again = made.kernel.restored([b"cols*broken", whole])
    assert made.kernel.finish(again)[0].equals(made.kernel.finish(state)[0])


def test_pages_of_a_stage_that_fell_back_to_rows_and_returned():
    made, pages = program("native"), []
    state, amounts = made.kernel.start(), [2**62, 2**62, -2**62, -2**62, *range(30)]
    wanted = made.sequential([s for n in amounts for s in sales([1], n)])
    out = []
    for stamp, n in enumerate(amounts):
        out += fed(made, state, sales([1], n), stamp)
        pages.append(made.kernel.changed(state))
        state = made.kernel.restored(pages)
    assert {page[:4] for page in pages} == {b"rows", b"cols"}
    end, _ = made.kernel.finish(state)
    assert bits(out + items_of(end, made.output_type)) == wanted


@ab.operator(by="shop")
def quadrupled(state: Held, t: Sale):
    state.total += 1
    yield t
    yield t.replace(n=t.n * 4)


@pytest.mark.parametrize("known", [[], [4], [3, 4, 4]])
def test_a_row_that_python_must_do_leaves_no_key_and_no_output(known):
    made = Program(ab.from_iterable([], Sale).apply(quadrupled))
    state = made.kernel.start()
    batch = batch_of([*sales(known), *sales([5], 2**62), *sales([6])], made.input_type)
    outputs, origins, row = made.kernel.advance(state, batch)
    memory, [table] = state.memory, made.kernel.stage.tables
    assert row == len(known) and len(outputs) == len(origins) == 2 * row
    assert memory.count(table) == len(set(known))
    index, keys = (memory.arrays[table.array(name)] for name in ("index", "keys"))
    assert (index >= 0).sum() == len(set(known)) and len(keys) >= len(set(known))
