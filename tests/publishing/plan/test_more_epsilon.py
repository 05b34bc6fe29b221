"""What `auto` takes never has a larger mean error at a larger ε: the error that plans show.

Where it begins to pay for margins, or pays a larger share for them, the rest of ε is smaller: there
the error is larger than at a smaller ε, by at most what margins may cost.
"""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import AUTO, Share
from leeward.core.mechanisms.table_measurement import DEAREST
from leeward.core.privacy import Guarantee
from tests.publishing.plans import CODEBOOK, planned

LONG = settings().max_examples > 100
"""`make audit` (profile `long`) tries every step, `make test` each second one."""

GRID = tuple(Fraction(round(50 * 1.35**step), 1000) for step in range(0, 21, 1 if LONG else 2))
"""From 0.05 to 20."""

BEGINNINGS = (9, 11, 19, 22, 27, 30, 40, 54, 60, 64, 66, 80, 116, 131)
FINE = tuple(Fraction(n, 100) for n in BEGINNINGS[:: 1 if LONG else 2])
"""Where mechanisms and margins begin: from ln(1+α) to a few times of it at α = 0.1."""

SMALL = 0.01
"""An error in jobs, or units of pay, that no reader sees: below it more ε may be worse."""

MORE = """\
  flow: {table: jobs, codes: ["00", "01", "10", "11"]}
  earnings: {table: jobs, type: integer, unit: euro, cap: 10000, cap_from: law, classes: {a: 10000}}
"""
TABLES = {
    "workplace": "by: [place, sector]",
    "worker, d = 2": "by: [place, sex]",
    "worker, d = 8": "by: [place, sex, education]",
    "worker, d = 16": "by: [place, sex, education, contract]",
    "flows": "by: [place], statistic: flows, of: flow",
    "gains": "by: [place], statistic: gains, of: flow",
    "product": "by: [place], breakdowns: [sex, education, contract]",
    "mean": "by: [place], statistic: mean, of: earnings",
    "mean by sex": "by: [place, sex], statistic: mean, of: earnings",
    "payroll": "by: [place], statistic: payroll, of: earnings",
    "payroll by sex": "by: [place, sex], statistic: payroll, of: earnings",
}
ECONOMY = SizeProfile((1, 3, 10, 40, 200), (30, 30, 20, 10, 5), True, (1, 2, 4, 8, 16))
ALONE = SizeProfile((5, 50), (1, 1), True, (1, 1))
"""Sizes of small cells, and of cells that are one establishment."""


@pytest.fixture(scope="module")
def marginals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Marginal]:
    folder: Path = tmp_path_factory.mktemp("grid")
    protect = "{policy: strong, alpha: 0.1, epsilon: 16}"
    return {
        name: planned(folder, f"{{name: a, {table}}}", protect=protect, codebook=CODEBOOK + MORE)
        .tables[0]
        .marginal
        for name, table in TABLES.items()
    }


def rises(
    marginal: Marginal,
    policy: str,
    margins: Share,
    profile: SizeProfile,
    grid: tuple[Fraction, ...],
    alpha: str = "0.1",
) -> list[str]:
    """Where the error of what is chosen is larger than at a smaller ε, or nothing can be made."""
    found: list[str] = []
    best: float | None = None
    allowed = DEAREST if margins == AUTO else 1.0
    for epsilon in grid:
        asked = Guarantee(policy, None if policy == "worker" else alpha, epsilon)
        try:
            made, _ = choose(marginal, asked, margins, profile)
        except LeewardError:
            found += [] if best is None else [f"nothing at {float(epsilon)}"]
            continue
        error = mean(made, profile)
        most = None if best is None else max(best * allowed * (1 + 1e-9), SMALL)
        if most is not None and (error is None or error > most):
            found.append(f"{best} to {error} at {float(epsilon)} ({made.name})")
        if error is not None:
            best = error if best is None else min(best, error)
    return found


def mean(made: Measurement, profile: SizeProfile) -> float | None:
    return profile.mean(profile.of(made.expected_error))


POLICIES = {
    "workplace": ("strong", "worker"),
    "worker, d = 2": ("strong", "weak", "proportional", "worker"),
    "worker, d = 8": ("strong", "weak"),
    "worker, d = 16": ("strong", "weak"),
    "flows": ("strong",),
    "gains": ("strong", "worker"),
    "product": ("strong", "weak"),
    "mean": ("strong", "proportional", "worker"),
    "mean by sex": ("strong", "proportional"),
    "payroll": ("strong", "proportional"),
    "payroll by sex": ("strong", "proportional"),
}


@pytest.mark.parametrize("margins", [None, Fraction(0), AUTO], ids=["none", "free", "auto"])
@pytest.mark.parametrize(("name", "policy"), [(n, p) for n, all_ in POLICIES.items() for p in all_])
def test_the_error_never_rises(
    marginals: dict[str, Marginal], name: str, policy: str, margins: Share
) -> None:
    grid = tuple(sorted({*GRID, *FINE}))
    assert rises(marginals[name], policy, margins, TYPICAL, grid) == []


@pytest.mark.parametrize("profile", [ECONOMY, ALONE], ids=["small cells", "one establishment"])
@pytest.mark.parametrize("name", ["worker, d = 2", "worker, d = 8", "product", "mean"])
def test_nor_for_other_sizes(
    marginals: dict[str, Marginal], name: str, profile: SizeProfile
) -> None:
    policy = "proportional" if name == "mean" else "strong"
    assert rises(marginals[name], policy, None, profile, GRID) == []


@pytest.mark.parametrize("alpha", ["0.02", "0.3"])
@pytest.mark.parametrize("name", ["workplace", "worker, d = 2", "product"])
def test_nor_at_another_alpha(marginals: dict[str, Marginal], name: str, alpha: str) -> None:
    assert rises(marginals[name], "strong", None, ECONOMY, GRID, alpha) == []


def test_a_rise_is_found(marginals: dict[str, Marginal], monkeypatch: pytest.MonkeyPatch) -> None:
    """At α = .02 errors below a hundredth of a job do rise, where ε passes 13.1."""
    monkeypatch.setitem(globals(), "SMALL", 0.0)
    grid = (Fraction(131, 10), Fraction(132, 10))
    assert rises(marginals["worker, d = 2"], "strong", None, ECONOMY, grid, "0.02") != []
