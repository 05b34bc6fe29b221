"""Page: figures and their reading in plain words, as one HTML file that needs no network."""

from collections.abc import Mapping

from leeward.evaluate.evaluation import Evaluation
from leeward.pictures import Picture


def page(evaluation: Evaluation, drawn: Mapping[str, Picture]) -> str:
    """The whole page."""
    return "".join(one.svg for one in drawn.values())
