"""Reading: what the points show, in plain words, every number filled in from the run."""

from leeward.evaluate.evaluation import Evaluation


def findings(evaluation: Evaluation) -> tuple[str, ...]:
    """The few sentences that answer what people ask first."""
    return (f"{len(evaluation.points)} points.",)
