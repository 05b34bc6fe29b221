"""Local privacy: surveys whose answers are randomised before anyone else sees them."""
