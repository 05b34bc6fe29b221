"""A plan is valid at birth: what no later step could write or promise is refused with the plan."""

from pathlib import Path

import pytest

from leeward.errors import InvalidParameter, LeewardError
from leeward.publishing import plan as planning
from tests.publishing.plans import planned

PLACE = "{name: t, by: [place]}"


def test_a_column_name_that_no_certificate_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="must name the column of the jobs table"):
        planned(tmp_path, PLACE, more=f"jobs: {{primary: {'c' * 300}}}\n")


def test_fractions_that_no_certificate_holds_are_refused(tmp_path: Path) -> None:
    """Shares with coprime denominators of 200 digits add up to a fraction of thousands."""
    shares = [f"{8 * 10**197}/{10**199 + 2 * n + 1}" for n in range(8)]
    tables = [
        f"{{name: t{n}, by: [place], mechanism: clipped, share: {share}}}"
        for n, share in enumerate(shares)
    ]
    with pytest.raises(InvalidParameter, match="in fractions of at most 1500 digits"):
        planned(tmp_path, *tables, protect="{policy: strong, alpha: 0.1, epsilon: 1000}")


def test_lists_that_no_certificate_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "MOST_LISTED_BYTES", 10)
    with pytest.raises(LeewardError, match="must list at most 10 bytes of codes and labels"):
        planned(tmp_path, PLACE)
