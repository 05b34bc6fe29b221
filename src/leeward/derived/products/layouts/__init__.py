"""Layouts: numbers of sealed bundles in the columns, order and flags of public products."""

from leeward.derived.products.layouts.layout import FORMS, write_layout

__all__ = ["FORMS", "write_layout"]
