"""Target: where a bundle may be written."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from leeward.bundle.disk import CHOOSE, PARAMETER, SPACE
from leeward.bundle.layout import BUNDLE_NAME
from leeward.errors import BadFile, LeewardError


def target_problems(target: Path) -> tuple[LeewardError, ...]:
    """Everything that can be known before a byte is written; nothing is touched."""
    try:
        return tuple(_problems(target))
    except (OSError, ValueError):  # a name that the system cannot even look up
        return (_refused(target, "must be a path that can be looked up", CHOOSE),)


def _problems(target: Path) -> Iterator[LeewardError]:
    if not re.fullmatch(BUNDLE_NAME, target.name):
        rule = "must end in a name of letters, digits, '.', '_' and '-', at most 100"
        yield _refused(target, rule, "Choose another name.")
    if os.path.lexists(target):
        yield _refused(target, "must not exist", "Choose a name that is free.")
    parent = target.parent
    if not parent.is_dir():
        yield _refused(target, "must lie in a folder that exists", "Make the folder first.")
    elif not os.access(parent, os.W_OK | os.X_OK):
        yield _refused(target, "must lie in a folder that can be written", CHOOSE)
    else:
        yield from _room(target)


def _room(target: Path) -> Iterator[LeewardError]:
    device = os.statvfs(target.parent)
    if device.f_flag & os.ST_RDONLY:
        yield _refused(target, "must not lie on a read-only file system", CHOOSE)
    elif device.f_bavail == 0 or (device.f_files > 0 and device.f_favail == 0):
        yield _refused(target, "must lie where space is left", SPACE)


def _refused(target: Path, rule: str, next_step: str) -> BadFile:
    # A path is shown in full: its end is what tells folders apart.
    return BadFile(PARAMETER, rule=rule, value=repr(str(target)), next_step=next_step)
