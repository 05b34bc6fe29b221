"""Slider: the steps at which a number can be moved; beside it stands the exact text."""

from decimal import Decimal


def _steps(*ranges: tuple[str, str, str]) -> str:
    """Numbers as texts, from each start to each stop by its step, with spaces between them."""
    found = list[str]()
    for start, stop, step in ranges:
        at, end, width = map(Decimal, (start, stop, step))
        while at <= end:
            found.append(f"{at.normalize():f}")
            at += width
    return " ".join(dict.fromkeys(found))


EPSILON = _steps(
    *(("0.01", "0.1", "0.01"), ("0.1", "1", "0.05"), ("1", "4", "0.1")),
    *(("4", "10", "0.25"), ("10", "20", "0.5")),
)
ALPHA = _steps(("0.005", "0.1", "0.005"), ("0.1", "0.3", "0.01"), ("0.3", "1", "0.05"))
DELTA = " ".join(["0", *(f"{Decimal(10) ** -n:f}" for n in range(12, 1, -1))])
SHARE = _steps(("0.01", "1", "0.01"))

SLIDERS = {"epsilon": EPSILON, "alpha": ALPHA, "delta": DELTA, "share": SHARE}
