"""Plan: what is asked, valid at birth, with its errors and price before any data are read."""
