"""From a plan to a bundle: the one room where confidential data and noise meet."""
