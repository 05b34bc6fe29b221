"""A million clients by local mechanisms: CPU seconds, and the error beside its formula.

`python -m benchmarks.local` draws skewed answers, encodes and counts them, and prints for each
mechanism the CPU seconds of both (the least of the runs) and the root mean square error of the
counts beside the standard deviation that the mechanism states. It fails where domain 1,000 at ε = 4
takes a second or errs by more than 1.05 times the formula, or ten million answers take five.
Half a minute.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from leeward.core.randomness import SecretBits, SeededBits
from leeward.systems.local.channel import Channel
from leeward.systems.local.channel_choice import AUTO, channel
from leeward.systems.local.hashing import Hashing

CLIENTS, SKEW = 1_000_000, 0.02
MOST_ERROR = 1.05


@dataclass(frozen=True)
class Trial:
    """A channel, how often it is tried, and the most CPU seconds that it may take."""

    channel: Channel
    runs: int = 1
    most: float | None = None


@dataclass(frozen=True)
class Found:
    """CPU seconds, and errors in clients."""

    encode: float
    counts: float
    error: float
    formula: float


TRIALS: Sequence[Trial] = (
    Trial(channel(AUTO, 20, "1")),
    Trial(channel(AUTO, 100, "1")),
    Trial(channel(AUTO, 1_000, "4"), 5, 1.0),
    Trial(channel(AUTO, 1_000, "1")),
    Trial(channel(AUTO, 100_000, "4")),
    Trial(channel("hadamard", 1_000, "4")),
    Trial(channel("hadamard", 100_000, "4")),
    Trial(channel(AUTO, 10_000_000, "4"), 2, 5.0),
    Trial(channel("unary", 1_000, "4")),
    Trial(Hashing.of(1_000, "4", 1024)),
    Trial(channel("sketch", 1_000, "4")),
)


def answered(domain: int) -> np.ndarray:
    """Skewed answers: the first is the most frequent."""
    drawn = SeededBits(1).generator.geometric(SKEW, CLIENTS) - 1
    return np.minimum(drawn, domain - 1)


def once(made: Channel) -> Found:
    """One survey of a million clients."""
    answers = answered(made.domain)
    start = process_time()
    reports = made.encode(answers, SecretBits())
    middle = process_time()
    counts = made.counts(reports)
    end = process_time()
    true = np.bincount(answers, minlength=made.domain).astype(np.float64)
    counts -= true
    common, rare = true[true > 0], int((true == 0).sum())
    squares = float((common**2).sum())
    said = sum(made.variance(CLIENTS, f, squares - f * f) for f in common)
    said += rare * made.variance(CLIENTS, 0, squares)
    error, formula = (counts**2).mean() ** 0.5, (said / made.domain) ** 0.5
    return Found(middle - start, end - middle, float(error), float(formula))


def tried(trial: Trial) -> Found:
    """The least time of the runs, and the error of all of them."""
    runs = [once(trial.channel) for _ in range(trial.runs)]
    quickest = min(runs, key=lambda one: one.encode + one.counts)
    error = float(np.mean([one.error**2 for one in runs]) ** 0.5)
    return Found(quickest.encode, quickest.counts, error, quickest.formula)


def main() -> None:
    print(f"{CLIENTS:,} clients\n\n| mechanism | answers | ε | CPU s, encode | CPU s, count "
          "| error | its formula |\n|---|---|---|---|---|---|---|")  # fmt: skip
    late = []
    for trial in TRIALS:
        made, found = trial.channel, tried(trial)
        print(f"| {made.name} | {made.domain:,} | {made.epsilon.text} | {found.encode:.2f} | "
              f"{found.counts:.2f} | {found.error:,.0f} | {found.formula:,.0f} |",
              flush=True)  # fmt: skip
        if trial.most is not None and (
            found.encode + found.counts > trial.most or found.error > MOST_ERROR * found.formula
        ):
            late.append(f"{made.name}, {made.domain:,} answers")
    if late:
        sys.exit(f"too slow, or less accurate than stated: {'; '.join(late)}")


if __name__ == "__main__":
    main()
