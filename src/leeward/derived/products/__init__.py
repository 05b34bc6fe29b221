"""Products: the published forms of LODES, PSEO, VEO, QWI and UMETRICS."""
