"""Mechanisms: how confidential counts become noisy ones, each with its proof beside it."""

from leeward.mechanisms.registry import REGISTRY, Mechanism, mechanism

__all__ = ["REGISTRY", "Mechanism", "mechanism"]
