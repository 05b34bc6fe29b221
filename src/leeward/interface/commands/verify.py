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
from leeward.publishing.bundle.history import history_findings
from leeward.publishing.bundle.signoff import (
    DECISIONS,
    SignOff,
    certificate_digest,
    read_sign_offs,
    record_path,
    sign,
    standing,
)
from leeward.publishing.bundle.statements import MadeFromStatement

Findings = tuple[str, ...]


def verify_command(  # noqa: PLR0913 (a parameter for each option)
    bundle: Annotated[
        list[Path],
        typer.Argument(
            help="The folder of a bundle, of synthetic rows, of a regression or of a survey's "
            "result; several are compared."
        ),
    ],
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to confirm the entry too.")
    ] = None,
    *,
    source: Annotated[
        Path | None, typer.Option("--source", help="The release that a tidy bundle is made from.")
    ] = None,
    sign_off: Annotated[
        bool, typer.Option("--sign-off", help="Record a decision beside a sound bundle.")
    ] = False,
    name: Annotated[str | None, typer.Option(help="Who signs, with --sign-off.")] = None,
    role: Annotated[str | None, typer.Option(help="In which role, with --sign-off.")] = None,
    decision: Annotated[
        str | None, typer.Option(help=f"With --sign-off: {', '.join(DECISIONS)}.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Check bundles: checksums, tables, certificate; with the ledger also their entries.

    Several bundles of one ledger must agree with each other: an old copy of the ledger that was
    put back and used shows without the ledger. With --sign-off one sound bundle is signed: one
    person submits it, another one decides.

    Example: leeward verify bundle --ledger ledger.sqlite
    """
    given = {"--name": name, "--role": role, "--decision": decision}
    _check_options(given, sign_off)
    _check_signed(bundle, sign_off)
    before = _digest_of(bundle[0]) if sign_off else None
    tell = _silent if as_json else say
    found = [_checked(one, ledger, source, sign_off, tell) for one in bundle]
    apart = _apart([one.path for one in found if one.sound], tell)
    sound = not apart and all(found)
    if sound and sign_off:
        sign(bundle[0], name or "", role or "", decision or "", verified=before)
        tell(f"Recorded in {record_path(bundle[0])}.")
    if as_json:
        bundles = [_as_json(one) for one in found]
        say_json({"sound": sound, "bundles": bundles, "disagreements": list(apart)})
    if not sound:
        raise typer.Exit(REFUSED)
    for one in bundle:
        for line in sign_off_lines(read_sign_offs(one), certificate_digest(one)):
            tell(line if len(bundle) == 1 else f"{one}: {line}")


def _silent(_: str) -> None:
    """Print nothing: the answer is one JSON object."""


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
            {**one.model_dump(mode="json"), "of_this_bundle": one.certificate == digest}
            for one in records
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
    made_from = _made_from(bundle)
    checked = verify(bundle, ledger=ledger, source=source)
    if sign_off and ledger is None:  # what was not compared is not signed, unless the ledger has it
        checked = replace(checked, problems=(*checked.problems, *checked.notes))
    for finding in checked.problems:
        tell(f"- {finding}")
    if not checked:
        signed = " Nothing was signed." if sign_off else ""
        tell(f"{bundle} is NOT sound: {counted(len(checked.problems), 'finding')}.{signed}")
    else:
        told = "it" if made_from is None else "the release that it is made from"
        confirmed = "" if ledger is None else f" and the ledger confirms {told}"
        tell(f"{bundle} is sound{confirmed}.")
        if made_from is not None:
            tell(_origin(made_from, source))
        for note in checked.notes:
            tell(note)
    return checked


def _made_from(bundle: Path) -> MadeFromStatement | None:
    """What a bundle says it is made from; what cannot be read is found when it is verified."""
    with suppress(LeewardError):
        return read_bundle(bundle).certificate.made_from
    return None


def _origin(made_from: MadeFromStatement, source: Path | None) -> str:
    compared = "is not compared: give it with --source"
    if source is not None:
        compared = f"is {source}: released numbers and promises are those of it"
    return (
        f"It is made from {made_from.name} ({made_from.method}), certificate "
        f"{made_from.certificate[:12]}…, which {compared}."
    )


def _apart(bundles: list[Path], tell: Callable[[str], None]) -> Findings:
    """How bundles disagree on one history of their ledger; a single one never does."""
    if len(bundles) == 1:
        return ()
    held = {str(one): paid_in(one) for one in bundles if not is_result(one)}
    findings = history_findings(held)
    for finding in findings:
        tell(f"- {finding}")
    if findings:
        tell(f"These bundles do NOT agree: {counted(len(findings), 'finding')}.")
    elif held:
        tell("They agree with each other.")
    return tuple(findings)


def _check_options(given: dict[str, str | None], sign_off: bool) -> None:
    """Require all options of a sign-off with --sign-off and none without it."""
    for option, value in given.items():
        if (value is not None) is not sign_off:
            rule = "must be given with --sign-off" if sign_off else "belongs to --sign-off"
            raise InvalidParameter(
                option,
                rule=rule,
                value="nothing" if value is None else repr(value),
                next_step="Sign with --sign-off --name … --role … --decision ….",
            )


def _check_signed(bundles: list[Path], sign_off: bool) -> None:
    """A signature is about one bundle."""
    if sign_off and len(bundles) > 1:
        raise InvalidParameter(
            "--sign-off",
            rule="must be about one bundle",
            value=f"{len(bundles)} bundles",
            next_step="Verify and sign one after the other.",
        )


def _digest_of(bundle: Path) -> str | None:
    """The digest of the certificate before it is verified, if there is one."""
    held = any((bundle / name).is_file() for name in (CERTIFICATE, SYNTHETIC))
    return certificate_digest(bundle) if held else None


def sign_off_lines(records: tuple[SignOff, ...], digest: str) -> Iterator[str]:
    """The sign-offs for a person; those of another certificate are marked."""
    for one in records:
        other = "" if one.certificate == digest else " (of another bundle of this name)"
        yield f"{one.date}  {one.decision} by {one.name}, {one.role}{other}"
    holds = standing(records, digest)
    if holds is not None:
        yield f"It stands {holds.decision}: the latest decision holds."
