"""Releases of tests that are about something else than the check that comes before a release."""

import leeward
from leeward.publishing.bundle import Bundle
from leeward.publishing.plan.plan import Plan

REASON = "a test of something else"
UNCHECKED = ("--unchecked", REASON)
"""What such a test adds to the command line of a release."""


def unchecked_release(plan: Plan, **given: object) -> Bundle:
    """A release from Python, without a check."""
    return leeward.release(plan, unchecked=REASON, **given)  # type: ignore[arg-type] # as it is given
