"""At one job: tables under a cap on it, whose sentences about workers have their own number."""

from leeward.core.mechanisms import mechanism
from leeward.lab.audit.pay_worlds import CAP
from leeward.lab.audit.publication import Publication, settings


def at_one_job() -> Publication:
    """A workplace table, with a floor that is no whole number."""
    slope = mechanism("slope", alpha="0.1", epsilon=4, epsilon_job=1)
    return Publication("strong", slope, "all jobs")


def every_setting() -> tuple[Publication, ...]:
    """The usual settings, then those under a cap on one job."""
    block = mechanism("vector_pareto", alpha="0.1", epsilon=4, cells=2, epsilon_job=1)
    payrolls = mechanism("payroll_slope", alpha="0.1", epsilon=4, cap=CAP, epsilon_job=1)
    return (
        *settings(),
        at_one_job(),
        Publication("strong", block, "block"),
        Publication("proportional", payrolls, "payroll"),
    )
