"""Other outputs: synthetic rows, regressions and survey results in the folder of releases.

What was not charged is internal: it is counted and never shown. `leeward verify` checks an output
as a process of its own, since it draws rows and computes answers again.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
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
from leeward.interface.web.releases_folder import unchanged
from leeward.interface.web.site import policy, render, site_of
from leeward.publishing.bundle.bundle_files import (
    BUNDLE_NAME,
    CERTIFICATE,
    REPORT,
    RESULT,
    SYNTHETIC,
)
from leeward.publishing.bundle.certificate import Time
from leeward.publishing.bundle.paid_folder import kind_of, read_folder
from leeward.publishing.bundle.statements import (
    FileStatement,
    Prose,
    TableGuarantee,
    Text,
)

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
class ListedOutput:
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

    outputs: tuple[ListedOutput, ...]
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
    with os.scandir(folder) as entries:
        inside = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    folders = {}  # with one of these outputs, charged or not
    for entry in inside:
        path = Path(entry.path)
        other = any((path / name).is_file() for name in (RESULT, SYNTHETIC))
        if (kind_of(path) is not None or other) and re.fullmatch(BUNDLE_NAME, entry.name):
            folders[entry.name] = path
    stated = {name: path for name, path in folders.items() if _stated_in(path) is not None}
    read = [_output(name, stated[name]) for name in sorted(stated)]
    newest = sorted(read, key=lambda output: (not output.problem, output.created), reverse=True)
    return Shelf(tuple(newest), len(folders) - len(stated))


def _stated_in(path: Path) -> Path | None:
    """The file in which an output states itself; None where nothing was charged for it."""
    names = (path / SYNTHETIC, path / CERTIFICATE)
    return next((file for file in names if os.path.lexists(file)), None)


def _output(name: str, path: Path) -> ListedOutput:
    stated = _stated_in(path)
    try:
        status = (stated or path / CERTIFICATE).lstat()
    except OSError:
        return ListedOutput(name, path, "", "it cannot be read")
    if not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        return ListedOutput(
            name, path, "", f"it must have a statement of at most {MOST_BYTES >> 20} MB"
        )
    return _read(name, path, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=1 << 12)
def _read(name: str, path: Path, _stamp: tuple[int, int, int]) -> ListedOutput:
    try:
        if kind_of(path) is not None:
            return _sealed(name, path)
        return _linked(name, path) if (path / SYNTHETIC).is_file() else _survey(name, path)
    except LeewardError as refusal:
        return ListedOutput(name, path, "", refusal.rule)
    except (ValidationError, OSError):
        return ListedOutput(name, path, "", "it is not what Leeward writes")


def _sealed(name: str, path: Path) -> ListedOutput:
    certificate = read_folder(path)
    account, ledger = certificate.account, certificate.ledger
    return ListedOutput(
        name,
        path,
        certificate.kind,
        created=certificate.created,
        cost=f"{protected(certificate.guarantee)}, {losses(certificate.guarantee)}",
        charge=f"account {account}, entry {ledger.entry} of ledger {ledger.id}",
        files=_files(certificate.files),
    )


def _linked(name: str, path: Path) -> ListedOutput:
    stated = LinkedStated.model_validate_json((path / SYNTHETIC).read_bytes())
    jobs = counted(stated.jobs, "job")
    return ListedOutput(
        name,
        path,
        "linked synthetic rows",
        created=stated.created,
        cost=f"{protected(stated.guarantee)}, {losses(stated.guarantee)}",
        charge="the release that it contains; nothing more was charged",
        says=(f"{jobs} in {counted(stated.workplaces, 'workplace')}.", *stated.says),
        files=_files(stated.files),
    )


def _survey(name: str, path: Path) -> ListedOutput:
    stated = SurveyStated.model_validate_json((path / CERTIFICATE).read_bytes())
    return ListedOutput(
        name,
        path,
        "survey result",
        created=stated.created,
        cost=f"local, ε\u00a0{stated.guarantee.in_all} of each person",
        charge="no account: each person randomised the answer",
        says=(f"{counted(stated.reports, 'report')}.", *stated.guarantee.sentences),
        files=_files(stated.files),
    )


def _files(stated: Mapping[str, FileStatement]) -> tuple[tuple[str, FileStatement], ...]:
    """The files that may be served: plain names, as Leeward writes them."""
    return tuple((name, stamp) for name, stamp in stated.items() if FILE_NAME.fullmatch(name))


def output_page(request: Request) -> Response:
    """One output, as it states itself."""
    return render(request, "releases_output.html.j2", output=_asked(request), verdict=None)


def output_verification(request: Request) -> Response:
    """The same page after `leeward verify`, which writes nothing."""
    output = _asked(request)
    paid = output.charge.startswith("account")
    verdict = verified(output.path, site_of(request).ledger if paid else None)
    return render(request, "releases_output.html.j2", output=output, verdict=verdict)


def output_file(request: Request) -> Response:
    """A file of an output as it was sealed."""
    output, name = _asked(request), request.path_params["file"]
    return FileResponse(_unchanged(output, name), filename=name)


def output_report(request: Request) -> Response:
    """The page that belongs to an output, under a policy that allows no script."""
    page = _unchanged(_asked(request), REPORT).read_text(encoding="utf-8")
    return HTMLResponse(page, headers={"Content-Security-Policy": policy(page)})


def _asked(request: Request) -> ListedOutput:
    name, outputs = request.path_params["name"], shelf(site_of(request).releases).outputs
    output = next((output for output in outputs if output.name == name), None)
    if output is None or output.problem:
        raise BadFile(
            "output",
            rule=output.problem if output else "must be one of the folder of releases",
            value=shown(name),
            next_step="Choose one from the list under Releases.",
        )
    return output


def _unchanged(output: ListedOutput, name: str) -> Path:
    """A file of an output, if it is the one that its certificate states."""
    stamp = dict(output.files).get(name)
    if stamp is None:
        raise HTTPException(404)
    return unchanged(output.path / name, stamp)


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
        (answer,) = json.loads(ended.stdout)["bundles"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        raise BadFile(
            "verification",
            rule=f"must end within {PATIENCE} seconds",
            value="a verification that did not",
            next_step="Run `leeward verify` on the command line.",
        ) from None
    problems, notes = tuple(answer["problems"]), tuple(answer["notes"])
    return Verdict(answer["sound"], ledger is not None, problems, notes)
