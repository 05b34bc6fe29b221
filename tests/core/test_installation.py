"""The hint says what to type for the installation at hand."""

import sys
from pathlib import Path

import pytest

from leeward.core import installation
from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile
from leeward.core.installation import command, command_beside, hint, hint_beside
from leeward.publishing.engines import connect


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


PIP = "'/opt/my env/python' -m pip install"
UV = "uv pip install --python '/opt/my env/python'"


@pytest.mark.parametrize(
    ("file", "text", "typed", "beside"),
    [
        ("pipx_metadata.json", "{}", "pipx install --force 'leeward[web]'",
         "pipx inject leeward 'a[b]'"),
        ("uv-receipt.toml", "", "uv tool install --force 'leeward[web]'",
         "uv tool install --force leeward --with 'a[b]'"),
        ("pyvenv.cfg", "home = /usr/bin\nuv = 0.9\n", f"{UV} 'leeward[web]'", f"{UV} 'a[b]'"),
        ("pyvenv.cfg", "home = /uv\n", f"{PIP} 'leeward[web]'", f"{PIP} 'a[b]'"),
    ],
)  # fmt: skip
def test_each_installer_has_its_command(
    prefix: Path, file: str, text: str, typed: str, beside: str
) -> None:
    (prefix / file).write_text(text)
    assert command("web") == typed
    assert command_beside("a[b]") == beside


@pytest.mark.usefixtures("prefix")
def test_a_folder_is_installed_again_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Written('{"url": "file:///srv/a%20b/leeward", "dir_info": {"editable": true}}')
    monkeypatch.setattr(installation, "distribution", lambda _: written)
    assert command("web").endswith("-m pip install --editable '/srv/a b/leeward[web]'")


@pytest.mark.parametrize(
    ("scheme", "driver", "step"),
    [
        ("postgres", "psycopg", hint("postgres")),
        ("mysql", "MySQLdb", hint_beside("ibis-framework[mysql]")),
    ],
)
def test_a_missing_driver_is_named_with_what_to_type(
    scheme: str, driver: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"ibis.backends.{scheme}", raising=False)
    monkeypatch.setitem(sys.modules, driver, None)
    tables: dict[str, str] = {name: f"{scheme}://user@host/office#{name}" for name in TABLES}
    with pytest.raises(BadFile) as caught:
        connect(tables, tmp_path)
    assert str(caught.value) == (
        f"data: needs the driver for {scheme}, which is not installed; got no driver. {step}"
    )
