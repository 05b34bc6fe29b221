"""Totals against sums by pandas, whatever the batches."""

from dataclasses import replace

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

from leeward.core.codebook import Dimension, Flag, Marginal, Published
from leeward.core.codebook.totals import Totals, families
from leeward.core.noise.large_sums import Drawing
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.summed_errors import CellErrors
from tests.core.codebook.made import dimension


def with_total(one: Dimension) -> Dimension:
    return replace(one, attribute=replace(one.attribute, total="00"))


PLACE, SECTOR, OWNER = (with_total(dimension(n, s)) for n, s in (("p", 5), ("s", 4), ("o", 2)))
SEX, AGE = (with_total(dimension(n, s, "workers")) for n, s in (("x", 2), ("a", 3)))
NAMES = ["p", "s", "o", "x", "a"]
TABLE = Marginal("t", (PLACE, SECTOR, OWNER), (SEX, AGE), establishments=True, totals=tuple(NAMES))


def cells(seed: int) -> Published:
    """Some of the 40 workplace cells; every fourth one has no establishment."""
    numbers = np.random.default_rng(seed)
    keys = np.flatnonzero(numbers.random(TABLE.workplace_cells) < 0.7)
    empty = keys % 4 == 1
    values = np.where(empty[:, None], 0, numbers.integers(-9, 99, (len(keys), 6)))
    flags = np.where(empty, Flag.NO_ESTABLISHMENT, Flag.OK).astype(np.int64)
    return Published(keys, values, flags, {}, np.where(empty, 0, keys + 1))


def framed(published: Published) -> pd.DataFrame:
    """The same rows in a data frame, codes as texts."""
    rows = pd.DataFrame()
    for one, at in zip(TABLE.workplace, TABLE.workplace_positions(published.keys), strict=True):
        rows[one.name] = np.repeat(np.array(one.codes)[at], 6)
    for one, at in zip(TABLE.worker, TABLE.worker_positions(), strict=True):
        rows[one.name] = np.tile(np.array(one.codes)[at], len(published.keys))
    numbers = (published.flags, published.establishments)
    status, frame = (np.repeat(np.asarray(one), 6) for one in numbers)
    return rows.assign(value=published.values.ravel(), status=status, establishments=frame)


def expected(rows: pd.DataFrame, totals: tuple[str, ...]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """The truth: values add up, and so do establishments of workplaces; 1 beats −2."""
    rows = rows.assign(**dict.fromkeys(totals, "00"))
    summed = rows.groupby(NAMES).agg({"value": "sum", "status": "max"})
    kinds = [name for name in totals if name in ("x", "a")]
    times = int(np.prod([{"x": 2, "a": 3}[name] for name in kinds]))
    frame = rows.groupby(NAMES)["establishments"].sum() // times
    return {
        key: (int(summed.value[key]), int(summed.status[key]), int(frame[key]))
        for key in summed.index
    }


def found(totals: Totals) -> dict[tuple[str, ...], list[tuple[tuple[str, ...], tuple[int, ...]]]]:
    rows: dict[tuple[str, ...], list[tuple[tuple[str, ...], tuple[int, ...]]]] = {}
    for family, one in totals.rows():
        made = family.marginal
        for row, kind in np.ndindex(one.values.shape):
            at = made.workplace_positions(one.keys[row : row + 1])
            codes = [d.codes[int(p[0])] for d, p in zip(made.workplace, at, strict=True)]
            worker = zip(made.worker, made.worker_positions(), strict=True)
            codes += [d.codes[int(p[kind])] for d, p in worker]
            assert one.establishments is not None
            assert np.array_equal(
                one.values, one.margins["margin"]
            )  # as if the values were one draw
            numbers = (one.values[row, kind], one.flags[row], one.establishments[row])
            line = (tuple(codes), tuple(int(number) for number in numbers))
            rows.setdefault(family.totals, []).append(line)
    return rows


def as_errors(part: Published, first: int) -> CellErrors:
    """Errors whose one draw is the value."""
    drawing, values = Drawing(CellNoise(None, 0.0, 0.0), 0, 1), part.values
    there, columns = part.flags == Flag.OK, np.arange(values.shape[1])
    drawn = values[:, :, None].astype(np.float32)
    return CellErrors(drawing, first, np.zeros(values.shape), there, columns, None, drawn.copy)


@pytest.mark.parametrize("each", [1, 3, 40])
def test_totals_are_the_sums_of_their_rows(each: int) -> None:
    published = cells(each)
    totals = Totals(TABLE, lambda _, errors: {"margin": errors[..., 0].astype(np.int64)})
    for start in range(0, len(published.keys), each):
        part = published.part(slice(start, start + each))
        totals.add(part, as_errors(part, start))
    rows = found(totals)
    assert list(rows) == [one.totals for one in families(TABLE)]
    assert len(rows) == 31
    assert list(rows)[-1] == tuple(NAMES)
    for names, lines in rows.items():
        assert dict(lines) == expected(framed(published), names)
        assert [codes for codes, _ in lines] == sorted(codes for codes, _ in lines)
    assert published.values.tolist() == cells(each).values.tolist()


def test_few_totals_wait_for_later_cells() -> None:
    waiting = {one.totals: one.unfinished for one in families(TABLE)}
    assert waiting["x",] == waiting["x", "a"] == 0
    assert waiting["o",] == 6
    assert waiting["p",] == 4 * 2 * 6
    totals = Totals(TABLE)
    for start in range(20):
        totals.add(cells(1).part(slice(start, start + 1)))
        held = {n: len(sums.keys) * sums.values.shape[1] for n, sums in totals._waiting.items()}
        assert all(rows <= totals.families[n - 1].unfinished for n, rows in held.items())
