"""The lock file of the enclave page is what pip takes; the rest of the page needs a network."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.page import ROOT

PAGE = ROOT / "docs" / "how-to" / "enclave.md"


def test_the_lock_file_names_every_wheel_with_its_hash(tmp_path: Path) -> None:
    (script,) = re.findall(r"<<'END'\n(.*?)^END$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    folder = tmp_path / "wheels"
    folder.mkdir()
    (folder / "leeward-0.1.0-py3-none-any.whl").write_bytes(b"wheel")
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    digest = hashlib.sha256(b"wheel").hexdigest()
    assert done.stdout == f"leeward==0.1.0 --hash=sha256:{digest}\n"


def test_the_install_asks_no_network_and_takes_no_other_wheel() -> None:
    assert "--no-index --find-links wheels --require-hashes" in PAGE.read_text()
