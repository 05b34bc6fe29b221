"""Gathering: refusals are collected, so that a user hears of all of them at once."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from leeward.errors import LeewardError, Problems

Value = TypeVar("Value")

PROTECT = ("policy", "alpha", "epsilon", "delta")
"""What a table is refused for although it stands elsewhere in the plan."""


class Gathering:
    """Tries one thing after another and keeps what was refused."""

    def __init__(self, known: Iterable[LeewardError] = ()) -> None:
        self.problems: list[LeewardError] = list(known)

    def attempt(self, make: Callable[[], Value], within: str = "") -> Value | None:
        """The value, or None if it was refused; `within` says where in the plan it stands."""
        try:
            return make()
        except Problems as several:
            self._keep(several.problems, within)
        except LeewardError as problem:
            self._keep((problem,), within)
        return None

    def _keep(self, problems: Iterable[LeewardError], within: str) -> None:
        """What all tables have in common is told once."""
        told = {str(problem) for problem in self.problems}
        placed = (inside(problem, within) for problem in problems)
        self.problems.extend(problem for problem in placed if str(problem) not in told)


def inside(problem: LeewardError, within: str) -> LeewardError:
    """The same refusal with its place in the plan before the parameter's name."""
    if not within:
        return problem
    place = "protect" if problem.parameter in PROTECT else within
    return type(problem)(
        f"{place}.{problem.parameter}",
        rule=problem.rule,
        value=problem.value,
        next_step=problem.next_step,
    )
