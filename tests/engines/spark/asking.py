"""What is asked of Spark in more than one file of tests."""

from pathlib import Path

import pytest

from leeward.engines import Resources, connect
from leeward.errors import LeewardError
from leeward.model import Codebook, Marginal
from tests.engines.small import Sources, codebook, whole

SPARK = Resources(engine="spark")
SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


def refusal(sources: Sources, base: Path, resources: Resources = SPARK) -> str:
    with pytest.raises(LeewardError) as caught:
        connect(sources, base, resources).close()
    assert caught.value.__cause__ is None
    return str(caught.value)


def place_by_sex(folder: Path) -> tuple[Codebook, Marginal]:
    book = codebook(folder)
    return book, Marginal("t", whole(book, "place"), whole(book, "sex"))
