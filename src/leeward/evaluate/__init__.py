"""The published experiments on any data: what provable privacy costs, and against what.

Everything computed here is a function of the truth. On data that are not made up it stays inside.
"""
