"""Plans in memory: a small codebook, and requests that differ in what a test is about."""

from pathlib import Path

from leeward.publishing.plan.plan import Plan, read_plan

CODEBOOK = """\
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02", "03"]}
  sector: {table: workplaces, public: true, codes: [A, B]}
  sex: {table: workers, codes: [F, M]}
  education: {table: workers, codes: [E1, E2, E3, E4]}
  contract: {table: jobs, codes: [T, P]}
"""
STRONG = "{policy: strong, alpha: 0.1, epsilon: 4}"
WEAK = "{policy: weak, alpha: 0.1, epsilon: 4}"
WORKER = "{policy: worker, epsilon: 1}"


def planned(
    folder: Path, *tables: str, protect: str = STRONG, more: str = "", codebook: str = CODEBOOK
) -> Plan:
    """The plan of these tables; the data that it names are not there."""
    return read_plan(write_plan(folder, *tables, protect=protect, more=more, codebook=codebook))


def write_plan(
    folder: Path, *tables: str, protect: str = STRONG, more: str = "", codebook: str = CODEBOOK
) -> Path:
    """The file of such a plan."""
    (folder / "codebook.yaml").write_text(codebook)
    lines = "".join(f"  - {table}\n" for table in tables)
    (folder / "plan.yaml").write_text(
        "data: {workplaces: no.csv, workers: no.csv, jobs: no.csv}\n"
        "codebook: codebook.yaml\naccount: office\nperiod: 2026Q2\n"
        f"protect: {protect}\n{more}tables:\n{lines}"
    )
    return folder / "plan.yaml"
