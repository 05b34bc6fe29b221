"""The full evaluation of 10.9 million jobs, timed as a whole: `make bench`.

Memory is that of all its processes together, what they share counted once.
"""

import subprocess
import sys
import tempfile
import threading
import time

from benchmarks.family import megabytes
from benchmarks.process import leeward, verdict

MOST_MINUTES, MOST_MEGABYTES = 8, 6000
EVERY = 5.0


def watch(process: subprocess.Popen[bytes], seen: list[float]) -> None:
    while process.poll() is None:
        seen.append(megabytes(process.pid))
        time.sleep(EVERY)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = leeward("evaluate", "--preset", "h17", "--out", f"{folder}/h17")
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
          f"{MOST_MEGABYTES:,}: {verdict(held)}")  # fmt: skip
    sys.exit(not held)


if __name__ == "__main__":
    main()
