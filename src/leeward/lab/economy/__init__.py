"""Made-up economies to try Leeward on: seeded, believable, public by construction.

No number here describes a real place, employer or person. Draws come from the seeded door of
`leeward.core.randomness`, which nothing private may use.
"""

from leeward.lab.economy.files import EconomyFiles, write_economy
from leeward.lab.economy.made_up_economy import Economy

__all__ = ["Economy", "EconomyFiles", "write_economy"]
