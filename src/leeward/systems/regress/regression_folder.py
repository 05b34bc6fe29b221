"""Regression folder: released numbers and lines as files, and whether they were paid for so."""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook.yaml_document import read_text
from leeward.core.mechanisms.moments import Moments
from leeward.publishing.bundle.bundle_files import REGRESSION
from leeward.publishing.bundle.disk import write_file
from leeward.publishing.bundle.paid_folder import FILES, PAID, FolderCertificate, Kind, PaidFolder
from leeward.publishing.bundle.sealed_folder import UNREADABLE
from leeward.systems.regress.answer import Answer
from leeward.systems.regress.regression_request import MOMENTS, THEIL_SEN
from leeward.systems.regress.released import ReleasedMedians, ReleasedNumbers, ReleasedSums
from leeward.systems.regress.setting import PublicSetting

KIND: Kind = "regression"
_, CSV = FILES[KIND]
RELEASED: Mapping[str, Callable[[Mapping[str, Any]], ReleasedNumbers]] = {
    MOMENTS: ReleasedSums.read,
    THEIL_SEN: ReleasedMedians.read,
}


def write_answer(answer: Answer, out: Path | None) -> str:
    """The answer in a new folder, if one is wanted; the SHA-256 of its JSON."""
    content = answer.to_json()
    if out is not None:
        sealed = PaidFolder(out, KIND, answer.charge, internal=answer.internal)
        with sealed.writing() as folder:
            write_file(folder / REGRESSION, content, sealed.mode)
            write_file(folder / CSV, answer.to_csv(), sealed.mode)
    return sha256(content).hexdigest()


def regression_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a folder of `leeward regress`, in plain words; none if it is sound."""
    try:
        told = json.loads(read_text(folder / REGRESSION, REGRESSION))
        if told["internal"]:
            return ("it is INTERNAL: no account was charged for it",)
        return PAID.findings(folder) or tuple(_findings(folder, PAID.read(folder), told))
    except OSError:
        return ("the folder cannot be read",)
    except UNREADABLE:
        return (f"{REGRESSION} cannot be read",)


def _findings(folder: Path, stated: FolderCertificate, told: dict[str, Any]) -> Iterator[str]:
    """Estimates and sentences follow from the released numbers and the charge."""
    released, guarantee = RELEASED[told["method"]](told), stated.guarantee.as_guarantee()
    answer = Answer.of(
        told["method"], PublicSetting.read(told), released, guarantee, stated.witness
    )
    expected = answer.as_json()
    if not stated.same_program:
        expected["says"] = told["says"]
    wrong = sorted(key for key in {*expected, *told} if expected.get(key) != told.get(key))
    yield from (
        f"{REGRESSION}: {key} does not follow from what was released and paid" for key in wrong
    )
    if not wrong and (folder / REGRESSION).read_bytes() != _written(told):
        yield f"{REGRESSION} is not written as Leeward writes it"
    if not wrong and (folder / CSV).read_bytes() != answer.to_csv():
        yield f"{CSV} does not agree with {REGRESSION}"
    if isinstance(released, ReleasedSums) and guarantee.alpha is None:
        deviation = Moments.calibrated(guarantee.epsilon).deviation
        if not np.allclose(released.noisy.deviation, deviation, rtol=1e-12, atol=0):
            yield f"{REGRESSION} has noise of another size than its price buys"


def _written(told: Mapping[str, Any]) -> bytes:
    return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()
