"""Attacks: what an attacker learns from other protections, from ours, and from no release at all.

Every attack is one module with one function `attack(world, *, …) -> AttackFinding`, to which
`finds` gives its name; what it needs stands in modules beside it.
"""
