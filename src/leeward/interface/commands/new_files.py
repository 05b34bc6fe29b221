"""New files: what `leeward init` writes into a folder, and does not overwrite."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from leeward.core.errors import BadFile, raise_all
from leeward.publishing.bundle.disk import write_file

CONFIDENTIAL = "confidential"
"""The folder of prepared tables inside the folder of a recipe, or of numbered rows."""


def list_text(codes: Mapping[str, str]) -> str:
    """A code list as CSV: codes with their labels."""
    doubled = ([text.replace('"', '""') for text in row] for row in codes.items())
    return "code,label\n" + "".join(f'"{code}","{label}"\n' for code, label in doubled)


def refuse_existing(folder: Path, names: Iterable[str]) -> None:
    """Reject a folder that has some of these already."""
    raise_all(
        BadFile(
            "--out",
            rule="must not hold the file already",
            value=repr(str(folder / name)),
            next_step="Choose another folder, or remove the file.",
        )
        for name in names
        if os.path.lexists(folder / name)
    )


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a folder by the names of their files; no link is followed."""
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text.encode())
        except OSError as error:
            raise BadFile(
                "--out",
                rule=f"must be a folder that can be written ({error.strerror})",
                value=repr(str(path)),
                next_step="Choose another folder.",
            ) from None
