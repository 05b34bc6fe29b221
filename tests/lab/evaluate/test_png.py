"""Figures as PNG: the same picture in pixels, by a package that may be missing."""

import subprocess
import sys
from dataclasses import replace
from struct import unpack
from xml.etree import ElementTree as Xml

from leeward.core.installation import hint
from leeward.lab.evaluate.evaluation_folder import PNG_SCALE, png, require_png
from leeward.lab.evaluate.panel_sheet import panel_picture
from tests.lab.evaluate.panel_scene import plot

MISSING = """
import sys
sys.modules["vl_convert"] = None
from leeward.core.errors import BadFile
from leeward.lab.evaluate.evaluation_folder import png, require_png
for work in (require_png, lambda: png("<svg/>")):
    try:
        work()
    except BadFile as refusal:
        print(refusal)
"""


def printed(program: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_a_missing_package_is_refused_in_words() -> None:
    refusal = f"pictures: need the package vl-convert-python; got no vl_convert. {hint('pictures')}"
    assert printed(MISSING) == 2 * [refusal]


def test_nothing_is_loaded_before_it_draws_and_nothing_refused_where_it_is_installed() -> None:
    load = "import sys, leeward.lab.evaluate.evaluation_folder; print('vl_convert' in sys.modules)"
    assert printed(load) == ["False"]
    require_png()


def test_a_png_is_the_same_picture_in_pixels() -> None:
    svg = panel_picture(plot()).svg
    drawn = png(svg)
    assert drawn == png(svg)
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    root = Xml.fromstring(svg)  # noqa: S314 (our own drawing)
    size = tuple(PNG_SCALE * int(root.get(name, "")) for name in ("width", "height"))
    assert unpack(">II", drawn[16:24]) == size


def test_text_is_drawn_into_the_png() -> None:
    assert len(png(panel_picture(plot()).svg)) > len(
        png(panel_picture(replace(plot(), subtitle="", mark=None)).svg)
    )
