"""`leeward report`: the page about a bundle that a review board reads and signs."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.core.errors import InvalidParameter
from leeward.interface.commands.options import BundleFolder
from leeward.interface.commands.screen import progress, say

Out = Annotated[
    Path | None, typer.Option(help="Write an internal review sheet here, and no report.")
]
Earlier = Annotated[
    Path | None, typer.Option(help="With --out: an earlier bundle to compare with.")
]
Limits = Annotated[Path | None, typer.Option(help="With --out: YAML, the office's own limits.")]
AuditNow = Annotated[
    bool, typer.Option("--audit", help="With --out: audit this installation now, two minutes.")
]


def report_command(
    bundle: BundleFolder,
    *,
    out: Out = None,
    against: Earlier = None,
    limits: Limits = None,
    audit: AuditNow = False,
) -> None:
    """Write report.html into a sound bundle; an older one is replaced.

    It needs no network, and holds nothing that the other files of the bundle do not say. With --out
    a review sheet is written instead, for what does not follow from the bundle: the change since an
    earlier release, the limits that the office set itself, and the audit of this installation (the
    last one of this program is told again).

    Example: leeward report bundle
    """
    if out is not None:
        _write_review(bundle, out, against, limits, audit=audit)
        say(f"Review sheet: {out}")
        return
    of_reviews = {"against": against, "limits": limits, "audit": audit or None}
    for name in (name for name, value in of_reviews.items() if value is not None):
        raise InvalidParameter.missing(
            "--out",
            where=f"with --{name}: a review sheet is no part of the bundle",
            next_step="Name a file, such as --out review.html.",
        )
    with progress() as bar:
        bar.step("checking the bundle, writing the report")
        # Imported here: templates would slow the start of every other command.
        from leeward.interface.report.writing import add_report  # noqa: PLC0415 (see above)

        written = add_report(bundle)
    say(f"Report: {written}")


def _write_review(
    bundle: Path, out: Path, against: Path | None, limits: Path | None, *, audit: bool
) -> None:
    from leeward.interface.report.audited import Audited, kept  # noqa: PLC0415 (as above)
    from leeward.interface.report.review import Review, read_limits  # noqa: PLC0415
    from leeward.interface.report.writing import refuse_unsound  # noqa: PLC0415
    from leeward.publishing.bundle import read_bundle  # noqa: PLC0415 (as above)
    from leeward.publishing.bundle.disk import write_new  # noqa: PLC0415

    folders = [bundle, *([] if against is None else [against])]
    if any(folder.resolve() in out.resolve().parents for folder in folders):
        raise InvalidParameter(
            "--out",
            rule="must not lie in a bundle, to which nothing but its report may be added",
            value=repr(str(out)),
            next_step="Name a file beside it.",
        )
    own = None if limits is None else read_limits(limits)
    with progress() as bar:
        bar.step("checking the bundles")
        for folder in folders:
            refuse_unsound(folder)
        old = None if against is None else read_bundle(against)
        new = read_bundle(bundle)
        audited = None if audit else kept()  # the last audit of this program, or a new one
        if audit:
            from leeward.lab.audit import audit as examined  # noqa: PLC0415 (as above)

            audited = Audited.of(row.as_expected for row in examined(quick=True))
            audited.keep()
        review = Review(new, old, own, audited)
        bar.step("writing the review sheet")
        write_new(out, review.page().encode(), 0o600 if review.mark else 0o644)
