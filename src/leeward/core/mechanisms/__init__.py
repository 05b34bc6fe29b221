"""Mechanisms: how confidential counts become noisy ones, each with its proof beside it."""

from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.registry import REGISTRY, UNDER_A_CAP, mechanism

__all__ = ["REGISTRY", "UNDER_A_CAP", "Mechanism", "mechanism"]
