"""Finding: one thing that is wrong with the rows, told to the person who may see them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, how often, and what to do; whether it refuses a release.

    What does not is counted by the `rule` of that id, one of `model.ROW_RULES`.

    CONFIDENTIAL: `rows` and `examples` come from the data, also in the repr. Findings are shown by
    internal commands to the operator and never reach a bundle, a log or an error message.
    """

    problem: str
    table: str
    column: str
    rows: int
    examples: tuple[str, ...]
    remedy: str
    rule: str = ""
    refuses: bool = True
