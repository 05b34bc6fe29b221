"""One version, wherever it is written."""

import re

import leeward
from tests.shape.source import ROOT

WRITTEN = {
    "pyproject.toml": r'^version = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "docs/reference/bundle.md": r" V(\d[\d.]+\d) C\d ",
}


def test_the_version_is_the_same_everywhere() -> None:
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in WRITTEN}
    found = {name: re.findall(WRITTEN[name], texts[name], re.M) for name in WRITTEN}
    assert found == {name: [leeward.__version__] for name in WRITTEN}
