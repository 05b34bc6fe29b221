"""Refusals: what the page says where a command would end with a message."""

from leeward.errors import LeewardError, Problems


def listed(error: LeewardError) -> tuple[LeewardError, ...]:
    """One refusal or several, each by itself."""
    return error.problems if isinstance(error, Problems) else (error,)
