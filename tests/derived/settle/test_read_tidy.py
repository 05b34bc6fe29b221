"""Tidy bundles are read by their released numbers: margins are around these."""

import pytest

from leeward import Bundle, derive, read_bundle
from leeward.derived.derive import picked
from leeward.derived.derive.comparison import compare
from leeward.derived.derive.derived import TIDY
from leeward.derived.derive.picked import picked_coverage, rank_intervals
from leeward.lab.economy import Economy, write_economy
from leeward.publishing.bundle.blocks import certified
from leeward.publishing.bundle.selection import RowSelection, select
from tests.matrix.office import run, succeed

PLAN = """\
data: {workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}
codebook: codebook.yaml
account: office
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 2}
tables:
  - {name: sectors, by: [sector, sex], mechanism: clipped, share: 1/2}
  - {name: totals, by: [sector], mechanism: slope, share: 1/2}
"""
TABLES = ("sectors", "totals")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, Bundle]:
    """A release, and what `leeward tidy` makes of it."""
    folder = tmp_path_factory.mktemp("tidy")
    write_economy(Economy(jobs=1500, establishments=150, seed=1), folder)
    (folder / "plan.yaml").write_text(PLAN)
    account = ("ledger", "create", "--account", "office", "--policy", "strong")
    succeed(run(folder, *account, "--alpha", "0.1", "--epsilon", "2"))
    reason = ("--unchecked", "made-up tables")
    succeed(
        run(folder, "release", "plan.yaml", "--out", "first", "--ledger", "ledger.sqlite", *reason)
    )
    succeed(run(folder, "tidy", "first", "--out", "tidied"))
    return read_bundle(folder / "first"), read_bundle(folder / "tidied")


@pytest.mark.parametrize("name", TABLES)
def test_coverage_is_that_of_the_same_cells_of_the_release(
    name: str, bundles: tuple[Bundle, Bundle]
) -> None:
    """Known bad: tidy values beside released intervals, which gave 0 % for single rows."""
    covered = []
    for bundle in bundles:
        picked._sizes.cache_clear()
        rows = select(bundle, name, RowSelection(), size=10).rows
        covered.append(picked_coverage(bundle, certified(bundle, name), rows))
    assert covered[0] == covered[1] is not None


@pytest.mark.parametrize("name", TABLES)
def test_a_release_and_its_tidy_tables_do_not_differ(
    name: str, bundles: tuple[Bundle, Bundle]
) -> None:
    found = compare(*bundles, name)
    assert (found.apart, found.different) == (0, 0)
    assert {pair.difference for pair in found.certain} == {0}
    assert "Both bundles are of one release: they have the same noise." in found.notes
    assert any(note.startswith("Released numbers are compared") for note in found.notes)


def test_no_level_is_claimed_for_tidy_values(bundles: tuple[Bundle, Bundle]) -> None:
    released, tidied = (derive(one, "totals", ["sector"], ["sum", "rank"]) for one in bundles)
    assert tidied.notes[0] == TIDY
    assert not any("90" in note for note in tidied.notes[1:])
    assert TIDY not in released.notes
    codes = [(row.codes[0].code,) for row in select(bundles[1], "totals", RowSelection()).rows]
    assert set(rank_intervals(bundles[1], certified(bundles[1], "totals"), codes)) == {None}
