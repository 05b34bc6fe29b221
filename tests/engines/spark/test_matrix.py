"""The plan of the matrix whose engine is Spark goes through every consumer."""

from pathlib import Path

import pytest

from tests.matrix.gaps import differences, read_gaps
from tests.matrix.office import ROWS, Office
from tests.matrix.page import visited
from tests.matrix.test_matrix import outcomes


@pytest.mark.usefixtures("spark")
def test_the_plan_on_spark_goes_through_every_consumer(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.write()
    made = office.make(ROWS["spark"])
    assert differences(outcomes(made), read_gaps()) == []
    assert visited(made, office).faults == []
