"""Installation: the command that adds an optional part to this installation."""

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import unquote, urlsplit


def hint(extra: str) -> str:
    """A next step that can be typed as it is, such as `Type: pip install 'leeward[web]'`."""
    return f"Type: {command(extra)}"


def command(extra: str) -> str:
    """The command that installs Leeward with an extra where this one is installed."""
    wanted, prefix = _requirement(extra), Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx install --force {wanted}"
    if (prefix / "uv-receipt.toml").is_file():
        return f"uv tool install --force {wanted}"
    if _made_by_uv(prefix / "pyvenv.cfg"):
        return f"uv pip install --python {quote(sys.executable)} {wanted}"
    return f"{quote(sys.executable)} -m pip install {wanted}"


def _made_by_uv(settings: Path) -> bool:
    """Whether uv made the environment: then it has no pip."""
    if not settings.is_file():
        return False
    lines = settings.read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.partition("=")[0].strip() == "uv" for line in lines)


def _requirement(extra: str) -> str:
    """The package with the extra, from the folder or file that was installed if there is one."""
    try:
        written = distribution("leeward").read_text("direct_url.json")
    except PackageNotFoundError:
        written = None
    origin: dict[str, Any] = json.loads(written) if written else {"url": ""}
    address = urlsplit(origin["url"])
    if address.scheme != "file":
        return quote(f"leeward[{extra}]")
    kept = "--editable " if origin.get("dir_info", {}).get("editable") else ""
    return kept + quote(f"{unquote(address.path)}[{extra}]")
