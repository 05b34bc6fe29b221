"""Write the digests of this tree."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.golden import test_releases, test_systems

PARTS = (test_releases, test_systems)

for part in PARTS:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        part.write(Path(folder), patch)
