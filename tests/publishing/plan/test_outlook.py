"""Outlook: what is refused is told as by the plan, and the other tables are there all the same."""

from pathlib import Path

import pytest

from leeward.core.errors import Problems
from leeward.publishing.plan.plan import make_plan
from leeward.publishing.plan.prediction import MECHANISMS, POLICIES, outlook
from leeward.publishing.plan.request import Request
from tests.publishing.plans import planned

GOOD, OTHER = "{name: a, by: [place]}", "{name: b, by: [place, sex]}"


def changed(request: Request, **update: object) -> Request:
    return request.model_copy(update=update)


def test_a_good_request_is_its_plan(tmp_path: Path) -> None:
    plan = planned(tmp_path, GOOD, OTHER)
    found = outlook(plan.request, plan.path)
    assert found.refusals == ()
    assert found.plan is not None
    assert found.tables == found.plan.tables == plan.tables


def test_one_bad_table_leaves_the_others_at_their_share(tmp_path: Path) -> None:
    plan = planned(tmp_path, GOOD, OTHER)
    first, second = plan.request.tables
    request = changed(plan.request, tables=[first, second.model_copy(update={"mechanism": "slop"})])
    found = outlook(request, plan.path)
    assert found.plan is None
    assert found.tables == (plan.tables[0], None)
    assert [one.parameter for one in found.refusals] == ["tables[1].mechanism"]


def test_refusals_are_those_of_the_plan(tmp_path: Path) -> None:
    plan = planned(tmp_path, GOOD, OTHER)
    request = changed(plan.request, account="!", period="")
    with pytest.raises(Problems) as refused:
        make_plan(request, plan.path)
    found = outlook(request, plan.path)
    assert [str(one) for one in found.refusals] == [str(one) for one in refused.value.problems]
    assert found.tables == plan.tables


def test_shares_of_more_than_one_still_show_each_table(tmp_path: Path) -> None:
    half = planned(tmp_path, "{name: a, by: [place], share: 1/2}")
    first = half.request.tables[0]
    more = [first, *(first.model_copy(update={"name": n, "share": s}) for n, s in
                     (("b", "3/4"), ("c", "x"), ("d", None)))]  # fmt: skip
    found = outlook(changed(half.request, tables=more), half.path)
    assert found.tables[0] == half.tables[0]
    assert [table is None for table in found.tables] == [False, False, True, True]
    assert found.tables[1] is not None
    assert found.tables[1].charge.epsilon == 3


@pytest.mark.parametrize(
    "update", [{"codebook": "none.yaml"}, {"sizes": "none.csv"}], ids=["codebook", "sizes"]
)
def test_what_cannot_be_read_is_refused_and_nothing_breaks(
    tmp_path: Path, update: dict[str, str]
) -> None:
    plan = planned(tmp_path, GOOD)
    found = outlook(changed(plan.request, **update), plan.path)
    assert found.plan is None
    assert len(found.refusals) == 1
    assert (found.tables[0] is None) == ("codebook" in update)


def test_every_offered_name_is_one_that_a_plan_may_use(tmp_path: Path) -> None:
    assert POLICIES == ("strong", "weak", "worker", "person", "proportional")
    assert MECHANISMS[0] == "auto"
    for name in MECHANISMS:
        plan = planned(tmp_path, GOOD)
        tables = [plan.request.tables[0].model_copy(update={"mechanism": name})]
        refused = outlook(changed(plan.request, tables=tables), plan.path).refusals
        assert not [one for one in refused if "must be auto or one of" in one.rule]
