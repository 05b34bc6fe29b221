"""One row leaves how every other row counts as it was, on Spark as everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publishing.engines.one_row import Reader, drawn, one_row_changes_no_other
from tests.publishing.engines.spark.asking import SPARK
from tests.publishing.engines.test_one_row import ODD, TYPED, parquet

READER = Reader(parquet, TYPED, ODD, resources=SPARK, examples=2)


@pytest.mark.usefixtures("spark")
def test_one_row_changes_no_other() -> None:
    @drawn(READER)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        one_row_changes_no_other(READER, data)

    holds()
