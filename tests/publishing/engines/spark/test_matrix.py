"""The plan of the matrix whose engine is Spark goes through every consumer."""

from pathlib import Path

import pytest

from tests.browser.view import NewView
from tests.matrix import windows
from tests.matrix.gaps import differences, read_gaps
from tests.matrix.office import ROWS, Office
from tests.matrix.page import STARTS, Visit, served
from tests.matrix.test_matrix import outcomes
from tests.matrix.test_seen import addresses


@pytest.mark.usefixtures("spark")
def test_the_plan_on_spark_goes_through_every_consumer(tmp_path: Path, view: NewView) -> None:
    office = Office(tmp_path)
    office.write()
    made = office.make(ROWS["spark"])
    assert differences(outcomes(made), read_gaps()) == []
    with served(made, office) as page:
        visit = Visit(page).crawl(*STARTS)
        chosen = addresses(visit, first=False)
        seen = windows.faults(visit, chosen, made.bundle.parent, view())
    assert visit.faults + seen == []
