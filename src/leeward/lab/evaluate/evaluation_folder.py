"""Output: an evaluation on disk, readable by its owner alone where the data are confidential."""

import csv
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path
from typing import Any

from leeward.core.errors import BadFile
from leeward.core.installation import hint
from leeward.lab.evaluate.classical import CLASSICAL_COLUMNS
from leeward.lab.evaluate.evaluation import Evaluation
from leeward.lab.evaluate.evaluation_page import page
from leeward.lab.evaluate.figures import figures
from leeward.lab.evaluate.findings import findings
from leeward.lab.evaluate.key_findings import findings_json
from leeward.lab.evaluate.panel_sheet import PanelPicture
from leeward.lab.evaluate.point import COLUMNS, RefusedSetting
from leeward.lab.evaluate.regression_page import regression_figures, regression_page
from leeward.lab.evaluate.regressions import REGRESSION_COLUMNS, Regressions

PNG_SCALE = 2
"""Pixels of a PNG for one of the SVG: sharp on screens of today."""

GAPS = tuple(field.name for field in fields(RefusedSetting))


def refuse_taken(out: Path) -> None:
    """Before the work: the folder must not exist, and its parent must be a folder to write in."""
    parent = out.absolute().parent
    taken = os.path.lexists(out)  # also a link that leads nowhere: no folder can be made there
    if taken or not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise BadFile(
            "--out",
            rule="must not exist yet, in a folder that does and can be written",
            value=repr(str(out)),
            next_step="Choose another folder.",
        )


def require_png() -> None:
    """Refuse where the package is missing that draws PNG; called before long work, not after it."""
    try:
        import vl_convert  # noqa: F401, PLC0415 (an optional extra, and slow to load)
    except ImportError:
        raise BadFile(
            "pictures",
            rule="need the package vl-convert-python",
            value="no vl_convert",
            next_step=hint("pictures"),
        ) from None


def png(svg: str) -> bytes:
    """The same picture in pixels; the package has its fonts, so they are the same everywhere."""
    require_png()
    import vl_convert  # noqa: PLC0415 (as above)

    return vl_convert.svg_to_png(svg, scale=PNG_SCALE)


def write(evaluation: Evaluation, out: Path) -> tuple[Path, ...]:
    """Points, gaps, findings, JSON, figures and page; the paths in the order to look at them."""
    mark = evaluation.study.mark
    drawn = figures(
        evaluation.points, mark=mark, words=evaluation.words, strata_by=evaluation.strata_by
    )
    points = (*evaluation.points, *(classical.point for classical in evaluation.classical))
    contents = {
        "index.html": page(evaluation, drawn).encode(),
        "points.csv": _csv(COLUMNS, (point.as_json() for point in points), mark),
        "gaps.csv": _csv(GAPS, (vars(setting) for setting in evaluation.refused), mark),
        "findings.json": _json(
            findings_json(evaluation.points, mark)
            | {"table": [asdict(row) for row in findings(evaluation)]}
        ),
        "evaluation.json": _json(evaluation.as_json()),
    }
    if evaluation.classical:
        rows = (asdict(classical) for classical in evaluation.classical)
        contents["classical.csv"] = _csv(CLASSICAL_COLUMNS, rows, mark)
    return _folder(out, contents, drawn, private=not evaluation.study.made_up)


def write_regressions(done: Regressions, out: Path) -> tuple[Path, ...]:
    """The same of a comparison of regressions, which has no gaps."""
    drawn = regression_figures(done)
    contents = {
        "index.html": regression_page(done, drawn).encode(),
        "points.csv": _csv(REGRESSION_COLUMNS, (vars(point) for point in done.points), done.mark),
        "evaluation.json": _json(done.as_json()),
    }
    return _folder(out, contents, drawn, private=not done.made_up)


def _folder(
    out: Path, pages: Mapping[str, bytes], drawn: Mapping[str, PanelPicture], *, private: bool
) -> tuple[Path, ...]:
    """Write the pages and the figures, all or nothing."""
    contents = dict(pages)
    for stem, picture in drawn.items():
        contents[f"figures/{stem}.svg"] = picture.svg.encode()
        contents[f"figures/{stem}.png"] = png(picture.svg)
    try:
        out.mkdir(mode=0o700 if private else 0o777)
        try:
            (out / "figures").mkdir(mode=0o700 if private else 0o777)
            for name, content in contents.items():
                _write(out / name, content, private=private)
        except BaseException:  # also Ctrl-C: what was written before it is removed
            shutil.rmtree(out, ignore_errors=True)
            raise
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a folder that can be written ({error.strerror})",
            value=repr(str(out)),
            next_step="Choose another folder, or make room.",
        ) from None
    return tuple(out / name for name in contents)


def _write(path: Path, content: bytes, *, private: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600 if private else 0o666), "wb") as file:
        file.write(content)


def _csv(columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]], mark: str | None) -> bytes:
    """The rows; on confidential data each of them is marked."""
    marked = {} if mark is None else {"mark": mark}
    text = StringIO()
    writer = csv.DictWriter(text, (*columns, *marked), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = ((key, row[key]) for key in columns)
        texts = {key: f"{v:.6g}" if isinstance(v, float) else v for key, v in cells}
        writer.writerow(texts | marked)
    return text.getvalue().encode()


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
