"""Where the data live: describe, check, tabulate in batches, close."""

from leeward.engines.engine import Engine
from leeward.engines.finding import Finding
from leeward.engines.ibis_engine import IbisEngine
from leeward.engines.opening import connect
from leeward.engines.tidying import EVERY_STEP, Steps, needed_steps
from leeward.model.resources import Resources

__all__ = [
    "EVERY_STEP",
    "Engine",
    "Finding",
    "IbisEngine",
    "Resources",
    "Steps",
    "connect",
    "needed_steps",
]
