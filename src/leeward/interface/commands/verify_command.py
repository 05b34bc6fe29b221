"""`leeward verify`: whether bundles are what was sealed, agree, and the ledger knows them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from leeward.api import Verification, is_result, paid_in, verify
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.show.numbers import counted
from leeward.interface.commands.screen import REFUSED, say, say_json
from leeward.publishing.bundle import read_bundle
from leeward.publishing.bundle.bundle_files import CERTIFICATE, SYNTHETIC
from leeward.publishing.bundle.signoff import (
    DECISIONS,
    SignOff,
    certificate_digest,
    read_sign_offs,
    record_path,
    sign,
    standing,
)
from leeward.publishing.bundle.witness import history_findings

Bundle = Annotated[
    list[Path],
    typer.Argument(
        help="The folder of a bundle, of synthetic rows, of a regression or of a survey's "
        "result; several are compared."
    ),
]
Ledger = Annotated[
    Path | None, typer.Option("--ledger", help="The ledger, to confirm the entry too.")
]
Source = Annotated[
    Path | None, typer.Option("--source", help="The release that a tidy bundle is made from.")
]
Signing = Annotated[
    bool, typer.Option("--sign-off", help="Record a decision beside a sound bundle.")
]
Name = Annotated[str | None, typer.Option(help="Who signs, with --sign-off.")]
Role = Annotated[str | None, typer.Option(help="In which role, with --sign-off.")]
Decision = Annotated[str | None, typer.Option(help=f"With --sign-off: {', '.join(DECISIONS)}.")]
AsJson = Annotated[bool, typer.Option("--json", help="The findings as JSON.")]


def verify_command(  # noqa: PLR0913 (a parameter for each option)
    bundle: Bundle,
    ledger: Ledger = None,
    *,
    source: Source = None,
    sign_off: Signing = False,
    name: Name = None,
    role: Role = None,
    decision: Decision = None,
    as_json: AsJson = False,
) -> None:
    """Check bundles: checksums, tables, certificate; with the ledger also their entries.

    Several bundles of one ledger must agree with each other: an old copy of the ledger that was
    put back and used shows without the ledger. With --sign-off one sound bundle is signed: one
    person submits it, another one decides.

    Example: leeward verify bundle --ledger ledger.sqlite
    """
    _check_options({"--name": name, "--role": role, "--decision": decision}, bundle, sign_off)
    named = any((bundle[0] / file).is_file() for file in (CERTIFICATE, SYNTHETIC))
    before = certificate_digest(bundle[0]) if sign_off and named else None
    tell = (lambda _: None) if as_json else say  # then the answer is one JSON object
    checked = [_checked(path, ledger, source, sign_off, tell) for path in bundle]
    apart = _apart([each.path for each in checked if each.sound], tell)
    sound = not apart and all(checked)
    if sound and sign_off:
        sign(bundle[0], name or "", role or "", decision or "", verified=before)
        tell(f"Recorded in {record_path(bundle[0])}.")
    if as_json:
        bundles = [_as_json(each) for each in checked]
        say_json({"sound": sound, "bundles": bundles, "disagreements": list(apart)})
    if not sound:
        raise typer.Exit(REFUSED)
    for path in bundle:
        for line in sign_off_lines(read_sign_offs(path), certificate_digest(path)):
            tell(line if len(bundle) == 1 else f"{path}: {line}")


def _as_json(checked: Verification) -> dict[str, object]:
    """A bundle with its findings; a sound one with its sign-offs."""
    records = read_sign_offs(checked.path) if checked else ()
    digest = certificate_digest(checked.path) if checked else None
    holds = None if digest is None else standing(records, digest)
    return {
        "bundle": str(checked.path),
        "sound": checked.sound,
        "problems": list(checked.problems),
        "notes": list(checked.notes),
        "sign_offs": [
            {**record.model_dump(mode="json"), "of_this_bundle": record.certificate == digest}
            for record in records
        ],
        "decision": None if holds is None else holds.decision,
    }


def _checked(
    bundle: Path,
    ledger: Path | None,
    source: Path | None,
    sign_off: bool,
    tell: Callable[[str], None],
) -> Verification:
    """A bundle with what is wrong with it: nothing if it is sound."""
    made_from = None
    with suppress(LeewardError):  # what cannot be read is found when it is verified
        made_from = read_bundle(bundle).certificate.made_from
    checked = verify(bundle, ledger=ledger, source=source)
    if sign_off and ledger is None:  # what was not compared is not signed, unless the ledger has it
        checked = replace(checked, problems=(*checked.problems, *checked.notes))
    for finding in checked.problems:
        tell(f"- {finding}")
    if not checked:
        signed = " Nothing was signed." if sign_off else ""
        tell(f"{bundle} is NOT sound: {counted(len(checked.problems), 'finding')}.{signed}")
    else:
        origin = "it" if made_from is None else "the release that it is made from"
        confirmed = "" if ledger is None else f" and the ledger confirms {origin}"
        tell(f"{bundle} is sound{confirmed}.")
        if made_from is not None:
            compared = "is not compared: give it with --source"
            if source is not None:
                compared = f"is {source}: released numbers and promises are those of it"
            tell(
                f"It is made from {made_from.name} ({made_from.method}), certificate "
                f"{made_from.certificate[:12]}…, which {compared}."
            )
        for note in checked.notes:
            tell(note)
    return checked


def _apart(bundles: list[Path], tell: Callable[[str], None]) -> tuple[str, ...]:
    """How bundles disagree on one history of their ledger; a single one never does."""
    if len(bundles) == 1:
        return ()
    paid = {str(path): paid_in(path) for path in bundles if not is_result(path)}
    findings = history_findings(paid)
    for finding in findings:
        tell(f"- {finding}")
    if findings:
        tell(f"These bundles do NOT agree: {counted(len(findings), 'finding')}.")
    elif paid:
        tell("They agree with each other.")
    return tuple(findings)


def _check_options(given: dict[str, str | None], bundles: list[Path], sign_off: bool) -> None:
    """Require all options of a sign-off with --sign-off, of one bundle, and none without it."""
    for option, value in given.items():
        if (value is not None) is not sign_off:
            rule = "must be given with --sign-off" if sign_off else "belongs to --sign-off"
            raise InvalidParameter(
                option,
                rule=rule,
                value="nothing" if value is None else repr(value),
                next_step="Sign with --sign-off --name … --role … --decision ….",
            )

    if sign_off and len(bundles) > 1:
        raise InvalidParameter(
            "--sign-off",
            rule="must be about one bundle",
            value=f"{len(bundles)} bundles",
            next_step="Verify and sign one after the other.",
        )


def sign_off_lines(records: tuple[SignOff, ...], digest: str) -> Iterator[str]:
    """The sign-offs for a person; those of another certificate are marked."""
    for record in records:
        other = "" if record.certificate == digest else " (of another bundle of this name)"
        yield f"{record.date}  {record.decision} by {record.name}, {record.role}{other}"
    holds = standing(records, digest)
    if holds is not None:
        yield f"It stands {holds.decision}: the latest decision holds."
