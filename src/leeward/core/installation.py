"""Installation: the command that adds an optional part, or a package, to this installation."""

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


def hint_beside(package: str) -> str:
    """The same for a package beside Leeward that none of its extras contains."""
    return f"Type: {command_beside(package)}"


def command(extra: str) -> str:
    """The command that installs Leeward with an extra where this one is installed."""
    wanted = _requirement(extra)
    if tool := _tool():
        return f"{tool} install --force {wanted}"
    return f"{_pip_install()} {wanted}"


def command_beside(package: str) -> str:
    """The command that installs a package where this Leeward is installed."""
    match _tool():
        case "pipx":
            return f"pipx inject leeward {quote(package)}"
        case "uv tool":
            return f"uv tool install --force {_requirement()} --with {quote(package)}"
    return f"{_pip_install()} {quote(package)}"


def _tool() -> str:
    """What keeps this environment for Leeward alone, if anything does."""
    marks = {"pipx": "pipx_metadata.json", "uv tool": "uv-receipt.toml"}
    tools = (tool for tool, mark in marks.items() if (Path(sys.prefix) / mark).is_file())
    return next(tools, "")


def _pip_install() -> str:
    """How packages are installed into this environment."""
    python = quote(sys.executable)
    settings = Path(sys.prefix) / "pyvenv.cfg"
    text = settings.read_text(encoding="utf-8", errors="replace") if settings.is_file() else ""
    if any(line.partition("=")[0].strip() == "uv" for line in text.splitlines()):
        return f"uv pip install --python {python}"  # an environment that uv made has no pip
    return f"{python} -m pip install"


def _requirement(extra: str = "") -> str:
    """The package with the extra, from the folder or file that was installed if there is one."""
    part = f"[{extra}]" if extra else ""
    try:
        written = distribution("leeward").read_text("direct_url.json")
    except PackageNotFoundError:
        written = None
    origin: dict[str, Any] = json.loads(written) if written else {"url": ""}
    address = urlsplit(origin["url"])
    if address.scheme != "file":
        return quote(f"leeward{part}")
    kept = "--editable " if origin.get("dir_info", {}).get("editable") else ""
    return kept + quote(f"{unquote(address.path)}{part}")
