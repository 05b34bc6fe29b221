"""What will not add up is said before the charge, with the reason and with what to write."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from leeward.publishing.plan.gap import gaps
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.predicted import Prediction
from leeward.publishing.release.certify import Draft

ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "place": {"table": "workplaces", "public": True, "codes": ["01", "02"], "total": "00"},
    "race": {"table": "workers", "codes": ["A", "B"]},
    "either": {"table": "workers", "codes": ["X"], "from": "race", "map": {"A": "X", "B": "X"}},
    "sex": {"table": "workers", "codes": ["F", "M"], "unknown": "U", "total": "T"},
    "age": {"table": "workers", "codes": ["Y", "O"], "null_as": "O", "total": "T"},
    "school": {"table": "workers", "codes": ["E1", "E2"], "omit": ["E5"], "unknown": "E9"},
    "pay": {
        "table": "jobs",
        "type": "integer",
        "unit": "cent",
        "cap": 9,
        "classes": {"few": 4, "many": 9},
    },
}


def plan(*tables: Mapping[str, Any], **more: object) -> Plan:
    listed = [
        {"name": f"t{n}", "share": str(Fraction(1, len(tables))), **one}
        for n, one in enumerate(tables)
    ]
    return read_plan(
        {
            "codebook": {"attributes": ATTRIBUTES},
            "account": "office",
            "period": "2026Q2",
            "tables": listed,
            "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 8},
            **more,
        }
    )


PRODUCT = {"name": "wac", "by": ["place"], "breakdowns": ["race", "sex"]}
RACE = (
    "race has no `other` and no `null_as`: jobs without a listed race count in no cell of "
    "wac_race, so its rows add up to at most wac_total. Write `other` and `null_as` beside race in "
    "the codebook, or `unknown` with a code for unknown."
)


def test_a_breakdown_of_a_product_that_leaves_jobs_out() -> None:
    made = plan(PRODUCT)
    (one,) = gaps(made)
    assert (one.table, one.attribute, one.cause) == ("wac_race", "race", "other and null_as")
    assert one.words == RACE
    assert RACE in " ".join(" ".join(Prediction(made).lines()).split())
    assert Prediction(made).to_dict()["gaps"] == [
        {
            "table": "wac_race",
            "attribute": "race",
            "cause": "other and null_as",
            "sentence": one.sentence,
            "next_step": one.next_step,
        }
    ]


REASONS: list[tuple[list[dict[str, Any]], str, str, str]] = [
    (
        [{"by": ["place", "race"]}, {"by": ["place"]}],
        "t0 race",
        "other and null_as",
        "count in no cell of t0, so its rows add up to at most all jobs, unlike those of other",
    ),
    (
        [{"by": ["place", "either"]}, {"by": ["place"]}],
        "t0 either",
        "other and null_as",
        "race has no `other` and no `null_as`: jobs without a listed race count in no cell of t0",
    ),
    (
        [{"by": ["place", "age"], "totals": ["age"]}],
        "t0 age",
        "other",
        "age has no `other`: jobs with an unlisted age count in no cell of t0, so its rows add up "
        "to at most all jobs, in the rows of totals too. Write `other` beside age",
    ),
    (
        [{"by": ["place", "school"]}, {"by": ["place"]}],
        "t0 school",
        "omit",
        "The codebook omits codes of school (E5): jobs with them count in no cell of t0",
    ),
    (
        [{"by": ["place", "pay"]}, {"by": ["place"]}],
        "t0 pay",
        "null_as",
        "pay has no `null_as`: jobs without a number of pay count in no cell of t0",
    ),
    (
        [{"by": ["place", "sex"], "where": {"sex": ["F", "M"]}}, {"by": ["place"]}],
        "t0 sex",
        "where",
        "`where` keeps 2 of 3 codes of sex: jobs with another code count in no cell of t0",
    ),
    (
        [{"by": ["place"], "where": {"sex": ["F"]}}, {"by": ["place"]}],
        "t0 sex",
        "where",
        "`where` keeps 1 of 3 codes of sex: t0 counts no other jobs",
    ),
]


@pytest.mark.parametrize(("tables", "where", "cause", "says"), REASONS)
def test_every_reason_has_its_words(
    tables: list[dict[str, Any]], where: str, cause: str, says: str
) -> None:
    (one,) = gaps(plan(*tables))
    assert f"{one.table} {one.attribute}" == where
    assert one.cause == cause
    assert says in one.words


@pytest.mark.parametrize(
    "tables",
    [
        [{**PRODUCT, "breakdowns": ["sex"]}],
        [{"by": ["place", "race"]}],  # nothing else counts these jobs
        [{"by": ["place", "race"], "totals": ["place"]}],
        [{"by": ["place", "sex"]}, {"by": ["place"]}],
        [{"by": ["place"], "where": {"place": ["01"]}}],
    ],
)
def test_nothing_is_said_where_nothing_is_to_add_up(tables: list[dict[str, Any]]) -> None:
    assert gaps(plan(*tables)) == ()
    assert Prediction(plan(*tables)).to_dict()["gaps"] == []


def test_under_strict_rows_no_job_is_without_a_code() -> None:
    made: list[dict[str, Any]] = [{"by": ["place", "race"]}, {"by": ["place"]}]
    assert len(gaps(plan(*made))) == 1
    assert gaps(plan(*made, rows="strict")) == ()
    made[0]["where"] = {"race": ["A"]}
    assert [one.cause for one in gaps(plan(*made, rows="strict"))] == ["where"]


def test_it_agrees_with_what_the_certificate_states() -> None:
    made = plan({"by": ["place", "race", "school"]}, {"by": ["place", "pay", "sex"]}, PRODUCT)
    said = {(one.table, one.attribute) for one in gaps(made)}
    stated = {(t.name, name) for t in Draft.of(made).tables for name in t.partial or ()}
    assert said == stated
    assert ("wac_race", "race") in said
