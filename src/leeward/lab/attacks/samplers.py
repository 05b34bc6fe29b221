"""Samplers: what is tested by name or from a file, with two databases that are neighbours."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import number_text, rational
from leeward.core.randomness import SecretBits
from leeward.lab.attacks.released_counts import NoisyCounts, noisy_counts
from leeward.lab.baselines.noise_infusion import Infusion

Sampler: TypeAlias = Callable[[Any, int], ArrayLike]
"""`sampler(database, count)` gives `count` independent outputs, one number each."""

OURS, ALPHA = "slope", "0.1"


@dataclass(frozen=True)
class Case:
    """A sampler, and two databases that are neighbours."""

    words: str
    sampler: Sampler
    left: object
    right: object


def cases(epsilon: str) -> Mapping[str, Case]:
    """What is tested by name; α is 0.1, so 1,000 and 1,100 jobs are neighbours."""
    slope, edge = noisy_counts(OURS, epsilon, ALPHA), noisy_counts("edge_laplace", epsilon)
    twice = 2 * rational(epsilon, "epsilon")
    too_little = noisy_counts(OURS, twice, ALPHA)

    def one_job(size: int, draws: int) -> Integers:
        return edge.release(np.full(draws, size))

    def answered(secret: int, draws: int) -> NDArray[np.bool_]:
        """True in three cases of four."""
        lies: NDArray[np.bool_] = SecretBits().words64(draws) < np.uint64(1 << 62)
        return lies ^ bool(secret)

    def infused(size: int, draws: int) -> Floats:
        return np.rint(size * Infusion().factors(np.arange(draws)))

    return {
        OURS: Case("slope noise", _of_size(slope), 1000, 1100),
        "half": Case(
            f"slope noise made for ε {number_text(twice)}", _of_size(too_little), 1000, 1100
        ),
        "edge": Case("edge noise, one job", one_job, 1000, 1001),
        "edge-size": Case("edge noise, sizes 10 % apart", one_job, 100, 110),
        "response": Case("randomised response, ln 3", answered, 0, 1),
        "infusion": Case("noise infusion, sizes 10 % apart", infused, 1000, 1100),
    }


def _of_size(mechanism: NoisyCounts) -> Sampler:
    """Releases of a cell that is one establishment."""
    return lambda size, draws: mechanism.release(np.full(draws, size), np.full(draws, size))


def written_case(sampler: str, left: str, right: str) -> Case:
    """The case of a Python function that is named as MODULE:FUNCTION."""
    module, _, name = sampler.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        function: Sampler = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise InvalidParameter(
            "sampler",
            rule="must be MODULE:FUNCTION of a module that can be imported from this folder",
            value=shown(sampler),
            next_step="Write sampler=mine:draw for the function draw(database, count) of mine.py.",
        ) from None
    finally:
        sys.path.pop(0)
    return Case(sampler, function, _database(left or "0"), _database(right or "1"))


def _database(text: str) -> int | str:
    """A whole number where it is one; a sampler reads other text as it likes."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def case_named(mechanism: str, known: Mapping[str, Case], left: str, right: str) -> Case:
    """The case of this name, on other databases where they are given."""
    if mechanism not in known:
        step = "Name one of them, or give sampler=MODULE:FUNCTION."
        raise InvalidParameter.unknown("mechanism", mechanism, known, next_step=step)
    case = known[mechanism]
    ends = ((left, case.left), (right, case.right))
    first, second = (_database(text) if text else own for text, own in ends)
    return replace(case, left=first, right=second)
