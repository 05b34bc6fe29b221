"""Employment statistics that provably protect every worker and every employer."""
