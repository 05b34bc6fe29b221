"""Numeric columns have the same classes on Spark."""

from pathlib import Path

import pytest

from tests.engines.spark.asking import SPARK
from tests.engines.test_numbers import ODD, expect_odd, in_files, odd_tables

pytestmark = pytest.mark.usefixtures("spark")


@pytest.mark.parametrize("kind", ODD)
def test_every_value_has_its_class(kind: str, tmp_path: Path) -> None:
    expect_odd(in_files(odd_tables(kind), tmp_path), tmp_path, kind, SPARK)
