"""Golden tables: with fixed bits every mechanism of plans releases the same numbers as before.

`python -m tests.publishing.test_golden` writes tests/kept/golden.json anew, after a change that is
meant to change numbers; its CHANGELOG entry says which and why.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256, shake_128
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

from leeward import randomness
from leeward.ledger import Ledger
from leeward.privacy import Guarantee
from leeward.publishing.plan import read_plan
from leeward.publishing.run import Choices, release_plan
from leeward.show.progress import Silent
from tests.publishing.plans import CODEBOOK
from tests.unchecked import REASON

KEPT = Path(__file__).parents[1] / "kept" / "golden.json"

INDUSTRY, SEX = "by: [place, sector]", "by: [place, sex, education]"
PLANS = {
    "strong": ("{policy: strong, alpha: 0.1, epsilon: 40}", [
        *(f"{INDUSTRY}, mechanism: {m}" for m in ("slope", "smooth_gamma", "log_laplace")),
        *(f"{SEX}, mechanism: {m}" for m in ("vector_pareto", "clipped")),
        f"{INDUSTRY}, margins: none",
        "by: [sector, sex], where: {contract: T}, complete: true",
    ]),
    "delta": ("{policy: strong, alpha: 0.1, epsilon: 8, delta: 1e-9}", [
        f"{INDUSTRY}, mechanism: smooth_laplace",
    ]),
    "weak": ("{policy: weak, alpha: 0.1, epsilon: 40}", [
        *(f"{SEX}, mechanism: {m}, margins: none" for m in ("slope", "smooth_gamma")),
        *(f"{SEX}, mechanism: {m}" for m in ("log_laplace", "vector_pareto", "clipped")),
    ]),
    "product": ("{policy: strong, alpha: 0.1, epsilon: 20}", [
        f"{INDUSTRY}, breakdowns: [sex, [education, contract]], mechanism: joint_pareto",
        f"{INDUSTRY}, breakdowns: [sex, education], mechanism: joint_clipped",
    ]),
    "worker": ("{policy: worker, epsilon: 2}", [INDUSTRY, f"{SEX}, margins: none"]),
}  # fmt: skip

NUMBER = re.compile(r"[-+]?[0-9][0-9./e+-]*")
OF_THE_MOMENT = ("software", "leeward", "created", "files", "ledger", "data")
"""Parts of a certificate that hold versions, times and keys."""


def write_tables(folder: Path) -> None:
    """80 establishments, one of them large; every code occurs."""
    sizes = [400 if i == 17 else 1 + 7 * i * i % 31 for i in range(80)]
    places = [f"{i},0{1 + i % 3},{'AB'[i * i % 5 % 2]}" for i in range(len(sizes))]
    jobs = [f"{i}-{n},{i},{'TP'[n * i % 3 % 2]}" for i, size in enumerate(sizes)
            for n in range(size)]  # fmt: skip
    people = [f"{job.split(',')[0]},{'FM'[n * n % 7 % 2]},E{1 + n * 5 % 7 % 4}"
              for n, job in enumerate(jobs)]  # fmt: skip
    written = {
        "workplaces": ("workplace_id,place,sector", places),
        "workers": ("worker_id,sex,education", people),
        "jobs": ("worker_id,workplace_id,contract", jobs),
    }
    for name, (head, rows) in written.items():
        (folder / f"{name}.csv").write_text("\n".join((head, *rows, "")))
    (folder / "codebook.yaml").write_text(CODEBOOK)


def fixed_bits() -> Callable[[int], bytes]:
    """A source of bits that repeats itself."""
    calls = 0

    def read(size: int) -> bytes:
        nonlocal calls
        calls += 1
        return shake_128(f"golden {calls}".encode()).digest(size)

    return read


def released(folder: Path, name: str) -> dict[str, str]:
    """Digests of each table and of the certificate's numbers."""
    protect, tables = PLANS[name]
    (folder / "plan.yaml").write_text(
        "data: {workplaces: workplaces.csv, workers: workers.csv, jobs: jobs.csv}\n"
        f"codebook: codebook.yaml\naccount: golden\nperiod: 2026Q2\nprotect: {protect}\ntables:\n"
        + "".join(f"  - {{name: t{n}, {table}}}\n" for n, table in enumerate(tables))
    )
    plan = read_plan(folder / "plan.yaml")
    asked, ledger, bundle = plan.asked, folder / f"{name}.sqlite", folder / name
    cap = Guarantee(asked.policy, asked.alpha, 100, 2 * asked.delta)
    with Ledger.new(ledger) as book:
        book.open_account("golden", cap)
    release_plan(plan, bundle, ledger, Silent(), Choices(unchecked=REASON))
    files = sorted((bundle / "tables").glob("*.csv"))
    digests = {path.name: sha256(path.read_bytes()).hexdigest()[:16] for path in files}
    return {**digests, "certificate": _numbers(bundle / "certificate.json")}


FLOATS = "noise"
"""Numbers in double precision, whose last bit may be another one on another processor."""


def _numbers(path: Path) -> str:
    """A digest of the numbers and their places; sentences may become better."""
    held: dict[str, Any] = json.loads(path.read_text())
    kept = {key: value for key, value in held.items() if key not in OF_THE_MOMENT}
    return sha256(json.dumps(list(_leaves(kept))).encode()).hexdigest()[:16]


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Numbers, and texts that are numbers, with their places."""
    inside: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        inside = sorted(item for item in value.items() if item[0] != FLOATS)
    elif isinstance(value, list):
        inside = enumerate(value)
    elif NUMBER.fullmatch(str(value)):
        yield place, str(value)
    for key, part in inside:
        yield from _leaves(part, f"{place}/{key}")


@pytest.mark.parametrize("name", PLANS)
def test_the_same_bits_give_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(randomness, "os", SimpleNamespace(urandom=fixed_bits()))
    write_tables(tmp_path)
    assert released(tmp_path, name) == json.loads(KEPT.read_text())[name]


def main() -> None:
    """Write the digests of this tree."""
    found = {}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        write_tables(Path(folder))
        for name in PLANS:
            patch.setattr(randomness, "os", SimpleNamespace(urandom=fixed_bits()))
            found[name] = released(Path(folder), name)
    KEPT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
