"""Mechanisms: how confidential counts become noisy ones, each with its proof beside it."""

from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.registry import REGISTRY, mechanism

__all__ = ["REGISTRY", "Mechanism", "mechanism"]
