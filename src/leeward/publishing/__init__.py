"""Publishing: from tables and a plan to a published bundle."""
