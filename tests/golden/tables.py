"""Made-up tables for the golden net, and the two codebooks that read them."""

from collections.abc import Iterator
from pathlib import Path

Rows = Iterator[tuple[str, ...]]

SIZES = [400 if i == 17 else 1 + 7 * i * i % 31 for i in range(80)]
"""80 establishments, one of them large."""

SMALL = """\
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02", "03"]}
  sector: {table: workplaces, public: true, codes: [A, B]}
  sex: {table: workers, codes: [F, M]}
  education: {table: workers, codes: [E1, E2, E3, E4]}
  contract: {table: jobs, codes: [T, P]}
"""
WIDE = """\
tables:
  workplaces: {id: workplace_id, employer: employer}
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02", "03"], total: "00"}
  area:
    {table: workplaces, public: true, from: place, map: {"01": N, "02": S, "03": S}, codes: [N, S]}
  sector: {table: workplaces, public: true, codes: [A, B], total: T}
  branch: {table: workplaces, public: true, codes: [B0, B1, B2, B3], total: B}
  sex: {table: workers, codes: [F, M], unknown: U, total: "0"}
  education: {table: workers, codes: [E1, E2, E3], omit: [E4]}
  group: {table: workers, from: education, map: {E1: G1, E2: G1, E3: G2}, codes: [G1, G2]}
  contract: {table: jobs, codes: [T, P], other: P, null_as: T}
  flow: {table: jobs, codes: ["11", "10", "01", "00"]}
  term: {table: jobs, codes: [T1, T2, T3]}
  pay:
    {table: jobs, type: integer, unit: cent, period: month, cap: 600000, cap_from: a made-up law,
     classes: {low: 150000, middle: 300000, high: 600000}, null_as: low}
  year_pay:
    {table: jobs, column: pay, type: integer, unit: dollar, period: year, low: 30000, cap: 500000,
     cap_from: a made-up law, classes: {all: 500000}}
"""


def write_tables(folder: Path) -> None:
    """Tables in which every row fits, rough ones, and the codebooks."""
    workplaces, people, jobs = [*_workplaces()], [*_people()], [*_jobs()]
    heads = {
        "workplaces": "workplace_id,place,sector,branch,employer",
        "workers": "worker_id,sex,education",
        "jobs": "worker_id,workplace_id,contract,pay,flow,term",
    }
    fits = {"workplaces": workplaces, "workers": people, "jobs": jobs}
    rough = {"workers": [*_rough_people(people)], "jobs": [*_rough_jobs(jobs)]}
    for kind, tables in (("", fits), ("rough_", rough)):
        for name, rows in tables.items():
            lines = [heads[name], *map(",".join, rows), ""]
            (folder / f"{kind}{name}.csv").write_text("\n".join(lines))
    (folder / "small.yaml").write_text(SMALL)
    (folder / "wide.yaml").write_text(WIDE)


def _workplaces() -> Rows:
    """Every code but B3; some establishments share an employer, some have none."""
    for i in range(len(SIZES)):
        employer = "" if i % 9 == 0 else f"e{i % 30}"
        yield str(i), f"0{1 + i % 3}", "AB"[i * i % 5 % 2], f"B{i // 27}", employer


def _jobs() -> Rows:
    """Pay from nothing to above the cap; some establishments grow and some shrink."""
    numbers = ((i, n) for i, size in enumerate(SIZES) for n in range(size))
    for k, (i, n) in enumerate(numbers):
        pay = 0 if k % 97 == 0 else 20_000 + k * k * 7919 % 630_000
        flow = ("11", "11", "11", "10" if i % 4 else "01", "00", "01")[(k * k + n) % 6]
        yield f"{i}-{n}", str(i), "TP"[n * i % 3 % 2], str(pay), flow, f"T{1 + k % 3}"


def _people() -> Rows:
    """The worker of each job."""
    for n, (worker, *_) in enumerate(_jobs()):
        yield worker, "FM"[n * n % 7 % 2], f"E{1 + n * 5 % 7 % 4}"


def _rough_people(people: list[tuple[str, ...]]) -> Rows:
    """Some without an id, some twice, some with codes that are missing or not listed."""
    for n, (worker, sex, education) in enumerate(people):
        yield "" if n % 101 == 50 else worker, "" if n % 31 == 3 else sex, education
        if n % 29 == 7:
            yield worker, "X", "E9"


def _rough_jobs(jobs: list[tuple[str, ...]]) -> Rows:
    """Some workers have up to four jobs; some rows are repeated, lost or without numbers."""
    for k, (worker, workplace, contract, pay, flow, term) in enumerate(jobs):
        kind, paid = "" if k % 23 == 4 else contract, "-" if k % 37 == 9 else pay
        yield worker, workplace, kind, paid, flow, term
        for more in range(k // 5 % 4 if k % 5 == 0 else 0):
            other, later = (int(workplace) + 11 + more) % len(SIZES), f"T{1 + (k + more + 1) % 3}"
            half = f"{int(pay) // 2 + more * 90_000}.5"
            yield worker, str(other), "TX"[more % 2], half, flow, later
        if k % 41 == 11:
            yield worker, workplace, contract, pay, flow, term
            yield worker, "none", contract, pay, flow, term
