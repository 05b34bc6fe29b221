"""A plan of a part of the frame: a filter on every table, and errors that say what to write."""

from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from tests.publishing.plans import planned

TABLES = ("{name: sectors, by: [place, sector]}", "{name: sexes, by: [sector], breakdowns: [sex]}")
PART = 'part: {place: "02"}\n'


def test_every_table_has_the_part_as_its_filter(tmp_path: Path) -> None:
    plan = planned(tmp_path, *TABLES, more=PART)
    by_place, product = (table.marginal for table in plan.tables)
    assert [dimension.codes for dimension in by_place.workplace] == [("02",), ("A", "B")]
    assert by_place.filters == ()
    assert [(kept.name, kept.codes) for kept in product.filters] == [("place", ("02",))]
    assert all(part.filters == product.filters for part in product.published)
    assert plan.request.named_part == ("place", "02")
    assert planned(tmp_path, *TABLES).request.named_part is None


def test_a_plan_of_another_part_is_another_plan(tmp_path: Path) -> None:
    digests = {planned(tmp_path, *TABLES, more=more).digest for more in (PART, "")}
    digests.add(planned(tmp_path, *TABLES, more=PART.replace("02", "03")).digest)
    assert len(digests) == 3


def test_where_does_not_name_the_attribute_of_the_part(tmp_path: Path) -> None:
    with pytest.raises(LeewardError) as told:
        planned(tmp_path, "{name: t, by: [sector], where: {place: ['01']}}", more=PART)
    assert str(told.value) == (
        "tables[0].where.place: must be left out beside part, which keeps one code in all tables; "
        "got 01. Leave it out, or leave part out of the plan."
    )


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("{}", "part: must name one public attribute of workplaces with one code; got nothing."),
        ("{sex: F}", "part: must name one public attribute of workplaces with one code; got 'sex'"),
        ("{place: '01', sector: A}", "must name one public attribute of workplaces with one code"),
        ("{state: '01'}", "part: must "),
        ("{place: '99'}", "part.place: must be a code of the codebook; got '99'. Its codes begin"),
    ],
)
def test_what_is_no_part(tmp_path: Path, part: str, words: str) -> None:
    with pytest.raises(LeewardError) as told:
        planned(tmp_path, TABLES[0], more=f"part: {part}\n")
    assert words in str(told.value)
