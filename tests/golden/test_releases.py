"""Golden releases: with fixed bits every mechanism of plans releases the same numbers as before."""

from pathlib import Path

import pytest

from leeward.ledger import Ledger
from leeward.privacy import Guarantee
from leeward.publishing.plan import read_plan
from leeward.publishing.run import Choices, release_plan
from leeward.show.progress import Silent
from tests.golden.net import digest, fix_bits, keep, kept, numbers
from tests.publishing.plans import CODEBOOK
from tests.unchecked import REASON

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
    digests = {path.name: digest(path.read_bytes()) for path in files}
    return {**digests, "certificate": numbers(bundle / "certificate.json")}


@pytest.mark.parametrize("name", PLANS)
def test_the_same_bits_give_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fix_bits(monkeypatch)
    write_tables(tmp_path)
    assert released(tmp_path, name) == kept("releases")[name]


def write(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Keep what this tree releases."""
    write_tables(folder)
    digests = {}
    for name in PLANS:
        fix_bits(patch)
        digests[name] = released(folder, name)
    keep("releases", digests)
