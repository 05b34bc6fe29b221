"""Every plan goes through every consumer; what a consumer rejects is listed in the documents."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from leeward.core.codebook import STATISTICS
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.interface.commands.app import COMMANDS
from leeward.publishing.engines.opening import SPECIAL
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.reading import OFFERED
from leeward.publishing.plan.request import WrittenTable
from tests.matrix.consumers import OF_BUNDLES, OF_PLANS, Outcome
from tests.matrix.gaps import differences, read_gaps
from tests.matrix.office import ROWS, Made, Office
from tests.matrix.page import ROUTES, Visit

HERE = [name for name, row in ROWS.items() if row.engine != "spark"]
"""The plans whose engine runs here; that on Spark is in `tests/publishing/engines/spark`."""

BESIDE = {
    "attack": "attacks made-up tables, an office's own or published ones, not a bundle",
    "audit": "computes the loss of every mechanism; reads no plan",
    "check": "each plan is checked before its release",
    "codes": "lists classifications",
    "demo": "is followed by the tests of the README",
    "doctor": "examines the machine",
    "economy": "writes made-up tables",
    "evaluate": "has designs of its own",
    "init": "writes the draft of a plan; its recipes are rows of the documents",
    "jobs": "makes the jobs of a quarter, before any plan",
    "ledger": "each plan has an account",
    "local": "surveys without a plan",
    "regress": "has a codebook and no plan",
    "release": "each plan is released twice",
    "serve": "the page is visited",
    "synth": "makes rows from a plan by a release of its own",
}
"""Commands that are no consumer in the table, and why."""


@pytest.fixture(scope="session")
def answers(made: Callable[[str], Made]) -> Callable[[str], Sequence[Outcome]]:
    """What every consumer answers about the plan of this name, once."""
    return cache(lambda name: tuple(outcomes(made(name))))


def outcomes(made: Made) -> Iterator[Outcome]:
    for of_plan in OF_PLANS.values():
        yield from of_plan(made.plan)
    for of_bundle in OF_BUNDLES.values():
        yield from of_bundle(made.bundle, made.second)


@pytest.mark.parametrize("name", HERE)
def test_every_plan_goes_through_every_consumer(
    name: str, answers: Callable[[str], Sequence[Outcome]]
) -> None:
    assert "\n".join(differences(answers(name), read_gaps())) == ""


@pytest.mark.parametrize("name", HERE)
def test_every_page_of_every_plan_is_sound(name: str, visit: Callable[[str], Visit]) -> None:
    assert "\n".join(visit(name).faults) == ""


def test_every_route_of_the_page_is_visited(visit: Callable[[str], Visit]) -> None:
    routes = {one.path for one in ROUTES if "GET" in (one.methods or ())}
    assert routes - set(visit("counts").opened) == set()


def test_every_gap_is_met(answers: Callable[[str], Sequence[Outcome]]) -> None:
    met = {
        (outcome.kind, outcome.consumer)
        for name in HERE
        for outcome in answers(name)
        if outcome.error is not None
    }
    assert set(read_gaps()) - met == set()


def test_a_form_is_written_where_its_tables_are(
    answers: Callable[[str], Sequence[Outcome]],
) -> None:
    assert Outcome("read --form qwi", "bundle") in answers("flows")


def test_every_statistic_policy_mechanism_engine_and_key_has_a_row(
    office: Office, tmp_path: Path
) -> None:
    (tmp_path / "economy").symlink_to(office.economy)
    plans = []
    for name, row in ROWS.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "plan.yaml").write_text(row.plan(office.data(row.engine), "2026Q2"))
        plans.append(read_plan(folder / "plan.yaml"))
    tables = [table for plan in plans for table in plan.tables]
    assert set(OFFERED) == {plan.charge.policy.name for plan in plans}
    assert set(STATISTICS) == {table.marginal.statistic.name for table in tables}
    assert set(IN_PLANS) - {table.measurement.name for table in tables} == set()
    assert {"files", "csv", "duckdb", "spark", *SPECIAL} == {row.engine for row in ROWS.values()}
    written = {key for row in ROWS.values() for table in row.written["tables"] for key in table}
    assert set(WrittenTable.model_fields) - written == set()


def test_every_command_is_a_consumer_or_says_why_not() -> None:
    consumers = {name.split()[0] for name in (*OF_PLANS, *OF_BUNDLES)}
    assert set(COMMANDS) - consumers - set(BESIDE) == set()
    assert set(BESIDE) - set(COMMANDS) == set()


def test_a_gap_that_is_not_listed_is_found() -> None:
    rejected = Outcome("read sum", "mean", "table: must be a table of counts: x; got y")
    gaps = {("mean", "read sum"): "table: must be a table of counts"}
    assert differences([rejected], gaps) == []
    assert "not listed" in differences([rejected], {})[0]
    assert "works" in differences([Outcome("read sum", "mean")], gaps)[0]
    assert "is listed with" in differences([Outcome("read sum", "mean", "other")], gaps)[0]
