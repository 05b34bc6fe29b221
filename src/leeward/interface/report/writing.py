"""Writing report.html into the folder of a sealed bundle, and checking the one that is there."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from leeward.core.errors import BadFile, Damaged
from leeward.interface.report.document import report
from leeward.publishing.bundle import REPORT, Bundle, read_bundle, verify_bundle
from leeward.publishing.bundle.bundle_files import has_content
from leeward.publishing.bundle.disk import UNKNOWN, WORDS, flush, new_hidden, write_file
from leeward.publishing.bundle.software import wrote_texts


def add_report(path: Path) -> Path:
    """Write the report into a sound bundle and return its path. An older one is replaced."""
    refuse_unsound(path)
    return write_report(read_bundle(path))


def refuse_unsound(path: Path) -> None:
    """Refuse a bundle with findings: its report would describe something else."""
    findings = verify_bundle(path)
    if findings:
        raise Damaged(
            "bundle",
            rule=f"must be sound: {findings[0]}",
            value=repr(str(path)),
            next_step="Ask for the bundle again; `leeward verify` lists every finding.",
        )


def report_findings(path: Path) -> tuple[str, ...]:
    """Whether the report in a sound bundle is the one that the bundle makes.

    It is not under the checksums, but it is what people read. Other versions of the program may
    word it differently, so only reports of this version are compared.
    """
    bundle, there = read_bundle(path), path / REPORT
    if not there.exists() or not wrote_texts(bundle.certificate):
        return ()
    if has_content(there, report(bundle).encode()):
        return ()
    return (f"{REPORT} is not what the bundle says: `leeward report` makes it again",)


def write_report(bundle: Bundle) -> Path:
    """Write the report of a bundle that this process has just sealed, without verifying it."""
    target = bundle.path / REPORT
    content = report(bundle).encode()
    moment = datetime.fromisoformat(bundle.certificate.created).timestamp()
    try:
        _replace(target, content, moment)
        # The time of the folder would reveal how long the report took; only its owner can set it.
        with suppress(PermissionError):
            os.utime(bundle.path, (moment, moment))
    except OSError as error:  # in fixed words
        reason, _ = WORDS.get(error.errno or 0, UNKNOWN)
        raise BadFile(
            "report",
            rule=f"must be writable, in the bundle and beside it: {reason}",
            value=repr(str(target)),
            next_step="Mend that, and ask for the report again.",
        ) from None
    return target


def _replace(target: Path, content: bytes, moment: float) -> None:
    """Write beside the folder and rename, so that the folder never holds half a report."""

    def write(path: Path) -> None:
        try:
            write_file(path, content)
        except FileExistsError:
            raise
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    hidden = new_hidden(target.resolve().parent, "report", write)
    try:
        os.utime(hidden, (moment, moment))
        flush(hidden)
        hidden.replace(target)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise
    flush(target.parent)
