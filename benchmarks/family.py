"""Family: a process with all below it, and the memory that they have together."""

from pathlib import Path


def family(pid: int) -> list[int]:
    """A process and its children's children."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:  # it ended in between
                continue
    return found


def megabytes(pid: int) -> float:
    """Proportional memory of a family: shared pages are divided among those who share them."""
    total = 0
    for one in family(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024
