"""What is asked of Spark in more than one file of tests."""

from pathlib import Path

import pytest

from leeward.core.codebook import Codebook, Marginal
from leeward.core.codebook.resources import Resources
from leeward.core.errors import LeewardError, Undisclosed
from leeward.publishing.engines import connect
from tests.publishing.engines.small import Sources, codebook, whole

SPARK = Resources(engine="spark")
SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


def refusal(sources: Sources, base: Path, resources: Resources = SPARK) -> str:
    with pytest.raises(LeewardError) as caught:
        connect(sources, base, resources).close()
    assert caught.value.__cause__ is None
    return inside(caught.value)


def inside(refused: LeewardError) -> str:
    """What is said; of what is not disclosed, what is said inside."""
    hidden = refused.inside if isinstance(refused, Undisclosed) else None
    return str(refused if hidden is None else hidden)


def place_by_sex(folder: Path) -> tuple[Codebook, Marginal]:
    book = codebook(folder)
    return book, Marginal("t", whole(book, "place"), whole(book, "sex"))
