"""Pay lines: what is audited of counts and payrolls."""

from collections.abc import Iterator

from leeward.lab.audit.audit_line import (
    CAP,
    FOUR,
    ONE,
    UNIT_EMPLOYER,
    AuditLine,
    Options,
    code_line,
)
from leeward.lab.audit.exams import (
    Exam,
)
from leeward.lab.audit.pay_code import LOG_CODE, PAY_CLIPPED_CODE, PAY_CODE
from leeward.lab.audit.pay_exam import (
    by_raises,
    examine_pay,
    examine_pay_chains,
    examine_pay_clipped,
    pay_clipped_loss,
    pay_loss,
)
from leeward.lab.audit.row import Grid

PAY_GRID: Grid = (("0.01", "0.5"), ("0.1", "4"), ("1", "4"))

RAISES = "raises"

STRONG, PROPORTIONAL = ("strong",), ("proportional",)

PayLine = tuple[str, Exam, tuple[str, ...], Options]

PAY: tuple[PayLine, ...] = (
    ("pay_centred", examine_pay, STRONG, ()),
    ("pay_pareto", examine_pay, STRONG + PROPORTIONAL, ()),
    ("pay_two_scales", examine_pay, PROPORTIONAL, ()),
    ("pay_clipped", examine_pay_clipped, STRONG + PROPORTIONAL, ()),
    ("log_pair", examine_pay, PROPORTIONAL, ()),
    ("payroll_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
    ("payroll_slope", examine_pay, PROPORTIONAL, ()),
)
"""Mechanisms of pay; the full audit has them at several α and ε, and with a Δ above 1."""

PAY_CELLS: tuple[PayLine, ...] = (
    ("pay_centred", examine_pay, STRONG, ()),
    ("pay_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
)

PAY_RAISES: tuple[tuple[str, Exam], ...] = (
    ("pay_pareto", by_raises(pay_loss)),
    ("payroll_pareto", by_raises(pay_loss)),
    ("pay_clipped", by_raises(pay_clipped_loss)),
)
"""Those under which a changed pay is one step whatever the policy."""


def _pay_lines() -> Iterator[AuditLine]:
    for name, exam, policies, options in PAY:
        yield AuditLine(name, exam, policies, options=(CAP, *options), at=ONE)
        several = PAY_GRID[1:] if exam is examine_pay_clipped else PAY_GRID
        yield AuditLine(name, exam, policies, options=(CAP, *options), at=several, deep=True)
        wide = (CAP, *options, ("plus", 3))
        yield AuditLine(
            name, exam, policies[-1:], options=wide, at=ONE, deep=name != "pay_two_scales"
        )
    for name, exam, policies, options in PAY_CELLS:
        both = (CAP, *options, ("cells", 2))
        yield AuditLine(name, exam, policies, options=both, at=ONE, deep=policies != STRONG)
        yield AuditLine(name, exam, policies, options=both, at=PAY_GRID[1:2], deep=True)
    yield AuditLine(
        "pay_clipped", examine_pay_clipped, options=(CAP, ("cells", 2)), at=ONE, deep=True
    )
    for name, exam in PAY_RAISES:
        yield AuditLine(name, exam, options=(CAP,), at=ONE, detail=RAISES)
        yield AuditLine(name, exam, options=(CAP,), at=PAY_GRID[:1], detail=RAISES, deep=True)
    for options, at in (((CAP,), ONE), ((CAP, ("cells", 2)), ONE), ((CAP,), PAY_GRID[:2])):
        yield AuditLine(
            "edge_pay", examine_pay, ("worker",), options=options, at=at, deep=at != ONE
        )
    for name, policy_name in (("pay_centred", "strong"), ("pay_two_scales", "proportional")):
        yield AuditLine(
            name, examine_pay_chains, (policy_name,), options=(CAP,), at=ONE, detail=UNIT_EMPLOYER
        )


PAY_LINES = tuple(_pay_lines())

PAY_CODE_LINES = (
    *(
        code_line(name, exam, policy_name, options=(CAP,))
        for name, exam, policy_name in (
            ("pay_centred", PAY_CODE, "strong"),
            ("pay_pareto", PAY_CODE, "proportional"),
            ("pay_two_scales", PAY_CODE, "proportional"),
            ("pay_clipped", PAY_CLIPPED_CODE, "strong"),
            ("log_pair", LOG_CODE, "proportional"),
            ("payroll_pareto", PAY_CODE, "strong"),
            ("payroll_slope", PAY_CODE, "proportional"),
            ("edge_pay", PAY_CODE, "worker"),
        )
    ),
    code_line("pay_pareto", PAY_CODE, options=(CAP, ("cells", 2), ("plus", 3)), at=FOUR),
)
