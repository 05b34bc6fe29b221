"""Other outputs: synthetic rows, regressions and survey results in the folder of releases.

What was not charged is internal: it is counted and never shown. `leeward verify` checks an output
as a process of its own, since it draws rows and computes answers again.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from leeward.core.errors import BadFile, LeewardError, shown
from leeward.core.show.numbers import counted, losses, protected
from leeward.interface.web.site import policy, render, site_of
from leeward.publishing.bundle.bundle_files import (
    BUNDLE_NAME,
    CERTIFICATE,
    REPORT,
    RESULT,
    SYNTHETIC,
    sha256,
)
from leeward.publishing.bundle.certificate import Time
from leeward.publishing.bundle.reader import damaged
from leeward.publishing.bundle.sealed_folder import kind_of, read_folder
from leeward.publishing.bundle.statements import FileStatement, Prose, TableGuarantee, Text

MOST_BYTES = 2 << 20
"""Maximum size in bytes of what an output states about itself."""

FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
PATIENCE = 600
"""Seconds that a verification may take."""

VERIFYING = Lock()


class SurveyLoss(BaseModel):
    """The loss of one answer, and of all that one person may send."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    epsilon: Text
    in_all: Text
    sentences: tuple[Prose, ...]


class SurveyStated(BaseModel):
    """What this page reads of the certificate of a survey's result."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: Literal["survey"]
    created: Time
    guarantee: SurveyLoss
    reports: int
    files: dict[str, FileStatement]


class LinkedStated(BaseModel):
    """What this page reads of the statement of linked synthetic rows."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: Literal["synthetic"]
    created: Time
    guarantee: TableGuarantee
    jobs: int
    workplaces: int
    says: tuple[Prose, ...]
    files: dict[str, FileStatement]


@dataclass(frozen=True)
class Output:
    """One output: what it is, what it cost whom, and its files; `problem` if it cannot be read.

    `charge` says who paid: an account and its entry, a release, or nobody.
    """

    name: str
    path: Path
    kind: str
    problem: str = ""
    created: str = ""
    cost: str = ""
    charge: str = ""
    says: tuple[str, ...] = ()
    files: tuple[tuple[str, FileStatement], ...] = ()

    @property
    def page(self) -> bool:
        """Whether it has a page of its own."""
        return any(name == REPORT for name, _ in self.files)


@dataclass(frozen=True)
class Shelf:
    """The outputs of a folder, the newest first, and how many internal ones are left out."""

    outputs: tuple[Output, ...]
    internal: int


@dataclass(frozen=True)
class Verdict:
    """What `leeward verify` found; `ledger` says whether the ledger was asked too."""

    sound: bool
    ledger: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def shelf(folder: Path) -> Shelf:
    """The outputs of a folder. Links are not followed."""
    found = dict(_folders(folder))
    stated = {name: one for name, one in found.items() if _stated_in(one) is not None}
    read = [_output(name, path) for name, path in sorted(stated.items())]
    newest = sorted(read, key=lambda one: (not one.problem, one.created), reverse=True)
    return Shelf(tuple(newest), len(found) - len(stated))


def _folders(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every subfolder with one of these outputs, charged or not."""
    with os.scandir(folder) as entries:
        found = [one for one in entries if one.is_dir(follow_symlinks=False)]
    for one in found:
        path = Path(one.path)
        made = kind_of(path) is not None or any(
            (path / name).is_file() for name in (RESULT, SYNTHETIC)
        )
        if made and re.fullmatch(BUNDLE_NAME, one.name):
            yield one.name, path


def _stated_in(path: Path) -> Path | None:
    """The file in which an output states itself; None where nothing was charged for it."""
    names = (path / SYNTHETIC, path / CERTIFICATE)
    return next((one for one in names if os.path.lexists(one)), None)


def _output(name: str, path: Path) -> Output:
    stated = _stated_in(path)
    try:
        status = (stated or path / CERTIFICATE).lstat()
    except OSError:
        return Output(name, path, "", "it cannot be read")
    if not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        return Output(name, path, "", f"it must have a statement of at most {MOST_BYTES >> 20} MB")
    return _read(name, path, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=1 << 12)
def _read(name: str, path: Path, _stamp: tuple[int, int, int]) -> Output:
    try:
        if kind_of(path) is not None:
            return _sealed(name, path)
        return _linked(name, path) if (path / SYNTHETIC).is_file() else _survey(name, path)
    except LeewardError as refusal:
        return Output(name, path, "", refusal.rule)
    except (ValidationError, OSError):
        return Output(name, path, "", "it is not what Leeward writes")


def _sealed(name: str, path: Path) -> Output:
    found = read_folder(path)
    return Output(
        name,
        path,
        found.kind,
        created=found.created,
        cost=f"{protected(found.guarantee)}, {losses(found.guarantee)}",
        charge=f"account {found.account}, entry {found.ledger.entry} of ledger {found.ledger.id}",
        files=_files(found.files),
    )


def _linked(name: str, path: Path) -> Output:
    found = LinkedStated.model_validate_json((path / SYNTHETIC).read_bytes())
    return Output(
        name,
        path,
        "linked synthetic rows",
        created=found.created,
        cost=f"{protected(found.guarantee)}, {losses(found.guarantee)}",
        charge="the release that it contains; nothing more was charged",
        says=(
            f"{counted(found.jobs, 'job')} in {counted(found.workplaces, 'workplace')}.",
            *found.says,
        ),
        files=_files(found.files),
    )


def _survey(name: str, path: Path) -> Output:
    found = SurveyStated.model_validate_json((path / CERTIFICATE).read_bytes())
    return Output(
        name,
        path,
        "survey result",
        created=found.created,
        cost=f"local, ε\u00a0{found.guarantee.in_all} of each person",
        charge="no account: each person randomised the answer",
        says=(f"{counted(found.reports, 'report')}.", *found.guarantee.sentences),
        files=_files(found.files),
    )


def _files(stated: Mapping[str, FileStatement]) -> tuple[tuple[str, FileStatement], ...]:
    """The files that may be served: plain names, as Leeward writes them."""
    return tuple((name, one) for name, one in stated.items() if FILE_NAME.fullmatch(name))


def output_page(request: Request) -> Response:
    """One output, as it states itself."""
    return render(request, "releases_output.html.j2", output=_asked(request), verdict=None)


def output_verification(request: Request) -> Response:
    """The same page after `leeward verify`, which writes nothing."""
    output = _asked(request)
    paid = output.charge.startswith("account")
    found = verified(output.path, site_of(request).ledger if paid else None)
    return render(request, "releases_output.html.j2", output=output, verdict=found)


def output_file(request: Request) -> Response:
    """A file of an output as it was sealed."""
    output, name = _asked(request), request.path_params["file"]
    return FileResponse(_unchanged(output, name), filename=name)


def output_report(request: Request) -> Response:
    """The page that belongs to an output, under a policy that allows no script."""
    page = _unchanged(_asked(request), REPORT).read_text(encoding="utf-8")
    return HTMLResponse(page, headers={"Content-Security-Policy": policy(page)})


def _asked(request: Request) -> Output:
    name = request.path_params["name"]
    found = next(
        (one for one in shelf(site_of(request).releases).outputs if one.name == name), None
    )
    if found is None or found.problem:
        raise BadFile(
            "output",
            rule=found.problem if found else "must be one of the folder of releases",
            value=shown(name),
            next_step="Choose one from the list under Releases.",
        )
    return found


def _unchanged(output: Output, name: str) -> Path:
    """A file of an output, if it is the one that its certificate states."""
    stamp = dict(output.files).get(name)
    if stamp is None:
        raise HTTPException(404)
    path = output.path / name
    plain = os.path.lexists(path) and S_ISREG(path.lstat().st_mode)
    if not plain or path.stat().st_size != stamp.bytes or sha256(path) != stamp.sha256:
        raise damaged(path, "must be the file that was published")
    return path


def verified(path: Path, ledger: Path | None) -> Verdict:
    """What `leeward verify` finds in an output."""
    command = [sys.executable, "-P", "-m", "leeward", "verify", str(path), "--json"]
    command += [] if ledger is None else ["--ledger", str(ledger)]
    try:
        with VERIFYING:
            ended = subprocess.run(  # noqa: S603 (our own command, a folder of a listing)
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
        (found,) = json.loads(ended.stdout)["bundles"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        raise BadFile(
            "verification",
            rule=f"must end within {PATIENCE} seconds",
            value="a verification that did not",
            next_step="Run `leeward verify` on the command line.",
        ) from None
    return Verdict(
        found["sound"], ledger is not None, tuple(found["problems"]), tuple(found["notes"])
    )
