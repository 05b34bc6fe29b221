"""The hint says what to type for the installation at hand."""

import sys
from pathlib import Path

import pytest

from leeward import installation
from leeward.installation import command, hint


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in an empty folder, with the package from an index."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/my env/python")
    monkeypatch.setattr(installation, "distribution", lambda _: Written(None))
    return tmp_path


class Written:
    """A distribution with this `direct_url.json`."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def read_text(self, _: str) -> str | None:
        return self.text


@pytest.mark.usefixtures("prefix")
def test_pip_in_a_virtual_environment() -> None:
    assert command("web") == "'/opt/my env/python' -m pip install 'leeward[web]'"
    assert hint("web") == f"Type: {command('web')}"


@pytest.mark.parametrize(
    ("file", "text", "typed"),
    [
        ("pipx_metadata.json", "{}", "pipx install --force 'leeward[web]'"),
        ("uv-receipt.toml", "", "uv tool install --force 'leeward[web]'"),
        (
            "pyvenv.cfg",
            "home = /usr/bin\nuv = 0.9\n",
            "uv pip install --python '/opt/my env/python' 'leeward[web]'",
        ),
        ("pyvenv.cfg", "home = /uv\n", "'/opt/my env/python' -m pip install 'leeward[web]'"),
    ],
)
def test_each_installer_has_its_command(prefix: Path, file: str, text: str, typed: str) -> None:
    (prefix / file).write_text(text)
    assert command("web") == typed


@pytest.mark.usefixtures("prefix")
def test_a_folder_is_installed_again_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Written('{"url": "file:///srv/a%20b/leeward", "dir_info": {"editable": true}}')
    monkeypatch.setattr(installation, "distribution", lambda _: written)
    assert command("web").endswith("-m pip install --editable '/srv/a b/leeward[web]'")
