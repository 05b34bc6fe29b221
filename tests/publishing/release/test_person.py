"""The person policy from the plan to the ledger: what a history of several rows costs."""

import json
from fractions import Fraction
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import LeewardError, NotCovered
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.ledger.account import owed
from tests.unchecked import unchecked_release

YEARS = tuple(str(year) for year in range(1, 11))
ATTRIBUTES: dict[str, Any] = {
    "place": {"table": "workplaces", "public": True, "codes": ["01", "02"]},
    "years": {"table": "jobs", "codes": list(YEARS), "omit": ["0"]},
    "later": {
        "table": "jobs",
        "codes": ["early", "late"],
        "from": "years",
        "map": {year: "early" if int(year) < 6 else "late" for year in YEARS},
    },
    "sector": {"table": "jobs", "codes": ["A", "B"], "other": "B"},
}
ONE_EACH = {"max_per_worker": 1, "per": "years"}


def request(*tables: dict[str, Any], jobs: object = ONE_EACH, **protect: object) -> dict[str, Any]:
    return {
        "codebook": {"attributes": ATTRIBUTES},
        "account": "office",
        "period": "2026",
        "protect": {"policy": "person", "epsilon": 4, **protect},
        "tables": list(tables) or [{"name": "by_place", "by": ["place"]}],
        **({} if jobs is None else {"jobs": jobs}),
    }


def planned(*tables: dict[str, Any], jobs: object = ONE_EACH) -> leeward.Plan:
    return leeward.read_plan(request(*tables, jobs=jobs))


def umetrics() -> leeward.Plan:
    """Of each year a table at 0.1 and one at 0.3, as the reports are accounted for."""
    tables = [
        {"name": f"{kind}_{year}", "by": by, "where": {"years": year}, "share": f"{share}/40"}
        for year in YEARS
        for kind, by, share in (("employed", ["place"], 1), ("sector", ["place", "sector"], 3))
    ]
    return planned(*tables)


def data() -> dict[str, Any]:
    """Everyone has two rows in each year, some of years that are not listed."""
    rows = [
        (worker, (worker + more) % 4, year, "A")
        for worker in range(30)
        for more in (0, 1)
        for year in (*YEARS, "0", "99")
    ]
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(4), "place": ["01", "02"] * 2}),
        "workers": pd.DataFrame({"worker_id": range(30)}),
        "jobs": pd.DataFrame(rows, columns=["worker_id", "workplace_id", "years", "sector"]),
    }


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[leeward.Ledger, leeward.Bundle]:
    folder = tmp_path_factory.mktemp("people")
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy="person", epsilon=4)
    return ledger, unchecked_release(umetrics(), out=folder / "bundle", ledger=ledger, **data())


def test_ten_years_at_a_tenth_and_three_tenths_cost_four(
    released: tuple[leeward.Ledger, leeward.Bundle],
) -> None:
    ledger, bundle = released
    account, stated = ledger.account("office"), bundle.certificate
    assert account.spent == Guarantee("person", None, 4)
    assert account.remaining == 0
    assert leeward.verify(bundle.path).problems == ()
    assert {table.guarantee.epsilon for table in stated.tables} == {"1/10", "3/10"}
    assert {table.person_rows for table in stated.tables} == {1}
    assert (stated.guarantee.policy, stated.jobs.most, stated.jobs.per) == ("person", 1, "years")
    assert "Under each code of years at most one job of each worker counts" in stated.jobs.sentence
    assert (stated.establishment, stated.firm) == (None, None)


@pytest.mark.parametrize(
    ("table", "jobs", "rows"),
    [
        ({"by": ["place"]}, ONE_EACH, 10),
        ({"by": ["place", "years"]}, ONE_EACH, 10),
        ({"by": ["place", "years"], "where": {"years": ["1", "5"]}}, ONE_EACH, 2),
        ({"by": ["place"], "where": {"years": "1"}}, ONE_EACH, 1),
        ({"by": ["later"], "where": {"later": "early"}}, ONE_EACH, 10),
        ({"by": ["later"]}, {"max_per_worker": 3, "per": "later"}, 6),
        ({"by": ["place", "years"]}, {"max_per_worker": 3}, 3),
        ({"by": ["years"]}, {"primary": "pay"}, 1),
    ],
)
def test_each_row_of_a_person_has_its_part_of_the_share(
    table: dict[str, Any], jobs: dict[str, Any], rows: int
) -> None:
    plan = planned({"name": "table", **table}, jobs=jobs)
    (made,) = plan.tables
    assert made.person_rows == rows
    assert made.measurement.constants()["epsilon"] == str(Fraction(4, rows))
    assert plan.charge == Guarantee("person", None, 4)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (request(jobs=None), "jobs: must be given under the person policy"),
        (request(jobs={"max_per_worker": 1, "per": "place"}), "jobs.per: must name an attribute"),
        (request(jobs={"max_per_worker": 1, "per": "sector"}), "without other and null_as"),
        (request(jobs={"max_per_worker": 1, "per": "yers"}), "Did you mean 'years'"),
        (request(jobs={"primary": "pay", "per": "years"}), "must stand beside max_per_worker"),
        (request(alpha="0.1"), "alpha: has no meaning under the person policy"),
        (request(policy="worker"), "jobs.per: has no meaning under the worker policy"),
        (request(epsilon=None, rho="0.1", delta="1e-9"), "must have an alpha where the budget"),
    ],
)
def test_what_has_no_meaning_is_refused_once(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(LeewardError, match=said.replace(".", r"\.")) as refused:
        leeward.read_plan(asked)
    assert "problems:" not in str(refused.value)


def test_rows_that_are_checked_need_no_limit() -> None:
    plan = leeward.read_plan({**request(jobs=None), "rows": "strict"})
    assert plan.tables[0].person_rows == 1


def test_the_limit_counts_codes_and_not_texts() -> None:
    """Ten years are two codes: two rows of each person count, whichever years they are of."""
    plan = planned({"name": "later", "by": ["later"]}, jobs={"max_per_worker": 1, "per": "later"})
    found = leeward.check(plan.reading(**data())).findings
    (above,) = [one for one in found if one.rule == "limit"]
    assert above.rows == 30 * 24 - 30 * 2
    assert not above.refuses


def test_accounts_of_people() -> None:
    people, jobs = (Guarantee(name, None, 4) for name in ("person", "worker"))
    with pytest.raises(NotCovered, match="worker does not imply person"):
        owed(Guarantee("worker", None, 1), people)
    assert owed(Guarantee("person", None, 1), jobs) == Guarantee("worker", None, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"jobs": {"rule": "every", "most": None, "per": None}}, "must be limited"),
        ({"jobs": {"most": 2}}, "rows of a person that a table counts"),
        ({"table": {"person_rows": 2}}, "must be what a table costs"),
        ({"table": {"person_rows": None}}, "rows of a person that a table counts"),
        ({"guarantee": {"policy": "worker"}}, "under the person policy alone"),
        ({"table": {"parameters": {"epsilon": "1e999999999"}}}, "invalid literal"),
        ({"table": {"parameters": {"epsilon": "1/0"}}}, "a fraction over zero"),
    ],
)
def test_a_certificate_that_understates_a_person_is_refused(
    released: tuple[leeward.Ledger, leeward.Bundle], changes: dict[str, Any], said: str
) -> None:
    content = json.loads(released[1].certificate.to_json())
    for key, update in changes.items():
        part = content["tables"][0] if key == "table" else content[key]
        part |= update
    with pytest.raises(ValueError, match=said):
        Certificate.model_validate_json(json.dumps(content))
