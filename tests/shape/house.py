"""The house: its floors from the top down, and the rooms of each from left to right."""

FLOORS = {
    "core": ("show", "codebook", "privacy", "noise", "mechanisms"),
    "publishing": ("engines", "ledger", "bundle", "plan", "release"),
    "derived": ("settle", "derive", "products"),
    "systems": ("synth", "regress", "local"),
    "lab": ("economy", "baselines", "evaluate", "audit", "attacks"),
    "interface": ("report", "web", "commands"),
}
"""A module imports what is in its room, left of it on its floor, or on a floor above."""

API = "api"
"""The functions behind `import leeward`: below the report, which they write; above the page."""

TRUSTED = ("core", "publishing")
"""The floors that must be right for the guarantee to be true."""


def rooms() -> tuple[str, ...]:
    """Every room in order; a floor by itself are the modules that lie beside its rooms."""
    inside = [room for floor, names in FLOORS.items()
              for room in (floor, *(f"{floor}.{name}" for name in names))]  # fmt: skip
    report = inside.index("interface.report") + 1
    return (*inside[:report], API, "", *inside[report:], "__main__")


ORDER = rooms()


def room_of(module: str) -> str:
    """The room of a module or of a name inside it, below `leeward`; empty for `leeward` itself."""
    inside = module.partition(".")[2]
    parts = inside.split(".")
    if parts[0] in FLOORS:
        room = ".".join(parts[:2])
        return room if room in ORDER else parts[0]
    return parts[0] if parts[0] in ORDER else ""
