"""Gathering: refusals are collected, so that a user hears of all of them at once."""

from collections.abc import Callable
from typing import TypeVar

from leeward.errors import LeewardError, Problems

Value = TypeVar("Value")


class Gathering:
    """Tries one thing after another and keeps what was refused."""

    def __init__(self) -> None:
        self.problems: list[LeewardError] = []

    def attempt(self, make: Callable[[], Value], within: str = "") -> Value | None:
        """The value, or None if it was refused; `within` says where in the plan it stands."""
        try:
            return make()
        except Problems as several:
            self.problems.extend(inside(one, within) for one in several.problems)
        except LeewardError as problem:
            self.problems.append(inside(problem, within))
        return None


def inside(problem: LeewardError, within: str) -> LeewardError:
    """The same refusal with its place in the plan before the parameter's name."""
    if not within:
        return problem
    return type(problem)(
        f"{within}.{problem.parameter}",
        rule=problem.rule,
        value=problem.value,
        next_step=problem.next_step,
    )
