"""Made-up economies to try Leeward on: seeded, believable, public by construction.

No number here describes a real place, employer or person. Draws come from the seeded door of
`leeward.core.randomness`, which nothing private may use.
"""

from leeward.lab.economy.economy import Economy
from leeward.lab.economy.files import EconomyFiles, write_economy

__all__ = ["Economy", "EconomyFiles", "write_economy"]
