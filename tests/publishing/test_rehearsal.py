"""What a certificate cannot say is refused before the charge."""

from pathlib import Path

import pytest

from leeward.errors import InvalidParameter
from leeward.publishing.certify import rehearse
from tests.publishing.plans import planned

PLACE = "{name: t, by: [place]}"


def test_what_can_be_said_passes(tmp_path: Path) -> None:
    rehearse(planned(tmp_path, PLACE), "bundle")


@pytest.mark.parametrize(
    ("name", "extra"), [("bundle", f"jobs: {{primary: {'c' * 300}}}\n"), ("no name", "")]
)
def test_what_cannot_be_said_is_refused(tmp_path: Path, name: str, extra: str) -> None:
    made = planned(tmp_path, PLACE, more=extra)
    with pytest.raises(InvalidParameter, match="must make a certificate that can be written"):
        rehearse(made, name)
