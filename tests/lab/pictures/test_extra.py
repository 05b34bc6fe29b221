import subprocess
import sys

import pytest

from leeward.core.installation import hint
from leeward.lab.pictures import require_pictures

LAZY = "import sys, leeward.lab.pictures; print({'altair', 'vl_convert'} & set(sys.modules))"
MISSING = """
import sys
sys.modules[{package!r}] = None
from leeward.core.errors import BadFile
from leeward.lab.pictures import Picture, draw, require_pictures
from tests.lab.pictures.samples import CHART, rows
for work in (require_pictures, lambda: draw(rows(), CHART), Picture("", "", "").png):
    try:
        work()
    except BadFile as refusal:
        print(refusal)
"""


def printed(program: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_the_room_loads_nothing_before_it_draws() -> None:
    assert printed(LAZY) == ["set()"]


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_is_refused_in_words(package: str) -> None:
    assert printed(MISSING.format(package=package)) == 3 * [
        "pictures: need the packages altair and vl-convert-python; "
        f"got no {package}. {hint('pictures')}"
    ]


def test_nothing_is_refused_where_all_is_installed() -> None:
    require_pictures()
