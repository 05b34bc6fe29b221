"""Documents: pieces of codebooks and plans that several recipes write."""

from collections.abc import Iterable, Mapping

CAP = 176_100
CAP_FROM = "contribution and benefit base of Social Security for 2025"
"""Dollars a year: a public number of a law, about three mean pays."""

LOW = 15_079
"""The largest yearly pay in dollars below full work at the federal minimum wage."""


def codebook_text(attributes: Iterable[str], keys: Mapping[str, str] | None = None) -> str:
    """The codebook: the attributes, and key columns that are not the usual ones."""
    lines = ["# What the columns mean. Every code that may be tabulated is in a closed list."]
    if keys:
        lines += ["tables:", *(f"  {table}: {{{columns}}}" for table, columns in keys.items())]
    return "\n".join([*lines, "attributes:", *attributes]) + "\n"


def listed(name: str, table: str, codes: Mapping[str, str]) -> str:
    """An attribute whose codes are in the codebook."""
    inside = "".join(f'\n      "{code}": "{label}"' for code, label in codes.items())
    return f"  {name}:\n    table: {table}{_public(table)}\n    codes:{inside}"


def filled(name: str, table: str, more: str = "") -> str:
    """An attribute whose codes the office knows, in a file beside the codebook."""
    return f"  {name}:\n    table: {table}{_public(table)}{more}\n    codes: {list_file(name)}"


def _public(table: str) -> str:
    return "\n    public: true" if table == "workplaces" else ""


def list_file(name: str) -> str:
    """The file of a code list, relative to the codebook."""
    return f"codes/{name}.csv"


def pay(unit: str, period: str, times: int = 1) -> str:
    """The column earnings; `times` turns dollars of a year into its unit and period."""
    cap, low = CAP * times, LOW * times
    return "\n    ".join(
        [
            "  earnings:",
            "table: jobs",
            "type: integer",
            f"unit: {unit}",
            f"period: {period}",
            f"cap: {cap}  # public: decided before the data are seen, never computed from them",
            f"cap_from: {CAP_FROM}",
            f"classes: {{low: {low}, high: {cap}}}",
        ]
    )


def plan_text(
    comment: str, head: Mapping[str, str], protect: str, tables: Iterable[str], more: str = ""
) -> str:
    """An ordinary plan; `head` has the data, account and period, `more` lines beside protect."""
    said = [f"# {line}" for line in comment.strip().splitlines()]
    data = [f'  {name}: "{head[name]}"' for name in ("workplaces", "workers", "jobs")]
    return "\n".join(
        [
            *said,
            "data:",
            *data,
            f"codebook: {head['codebook']}",
            f"account: {head['account']}",
            f'period: "{head["period"]}"',
            f"protect: {protect}",
            *([more] if more else []),
            "tables:",
            *(f"  - {{{one}}}" for one in tables),
            "",
        ]
    )
