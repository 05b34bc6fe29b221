"""The full evaluation of 10.9 million jobs, timed as a whole: `make bench`.

Memory is that of all its processes together, what they share counted once.
"""

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MOST_MINUTES, MOST_MEGABYTES = 15, 6000
EVERY = 5.0


def family(pid: int) -> list[int]:
    """A process and its children's children."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return found


def megabytes(pid: int) -> float:
    """Proportional memory of the family: shared pages are divided among those who share them."""
    total = 0
    for one in family(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def watch(process: subprocess.Popen[bytes], seen: list[float]) -> None:
    while process.poll() is None:
        seen.append(megabytes(process.pid))
        time.sleep(EVERY)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        words = ("evaluate", "--preset", "h17", "--out", f"{folder}/h17")
        program = [sys.executable, "-c", "from leeward.cli import start; start()", *words]
        start, seen = time.perf_counter(), [0.0]
        process = subprocess.Popen(program, stdout=subprocess.DEVNULL)
        watcher = threading.Thread(target=watch, args=(process, seen))
        watcher.start()
        failed = process.wait()
        watcher.join()
    minutes, most = (time.perf_counter() - start) / 60, max(seen)
    held = not failed and minutes <= MOST_MINUTES and most <= MOST_MEGABYTES
    print("\nevaluation h17: 10.9 million jobs in 527,000 establishments")
    print(f"  {minutes:.1f} minutes, at most {MOST_MINUTES}; {most:,.0f} MB, at most "
          f"{MOST_MEGABYTES:,}: {'holds' if held else 'FAILS'}")  # fmt: skip
    sys.exit(not held)


if __name__ == "__main__":
    main()
