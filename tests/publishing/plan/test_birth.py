"""A plan is valid at birth: what no later step could write or promise is refused with the plan."""

from pathlib import Path

import pytest

from leeward.core.errors import InvalidParameter, LeewardError
from leeward.publishing.plan import plan_problems as planning
from tests.publishing.plans import CODEBOOK, WEAK, planned

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


@pytest.mark.parametrize("written", ['"x \\ud800"', '"x \\udcff"'])
def test_texts_that_are_not_utf_8_are_refused(tmp_path: Path, written: str) -> None:
    labelled = CODEBOOK.replace("codes: [A, B]", f"codes: {{A: {written}, B: b}}")
    with pytest.raises(LeewardError, match=r"surrogate, which no UTF-8 text .* \(line 3, column"):
        planned(tmp_path, PLACE, codebook=labelled)
    with pytest.raises(LeewardError, match="surrogate, which no UTF-8 text"):
        planned(tmp_path, PLACE, more=f"sizes: {written}\n")


def test_kinds_that_no_sentence_lists_are_refused(tmp_path: Path) -> None:
    names = (f"{'x' * 58}{n:03}" for n in range(330))
    many = CODEBOOK + "".join(
        f"  {name}: {{table: workers, column: sex, codes: [F, M]}}\n" for name in names
    )
    planned(tmp_path, PLACE, codebook=many)
    with pytest.raises(LeewardError, match="more than 10000 characters together"):
        planned(tmp_path, PLACE, codebook=many, protect=WEAK)


def test_lists_that_no_certificate_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "MOST_LISTED_BYTES", 10)
    with pytest.raises(LeewardError, match="must list at most 10 bytes of codes and labels"):
        planned(tmp_path, PLACE)
