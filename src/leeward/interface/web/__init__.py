"""Web: the local page that plans releases and shows bundles and the ledger.

It calls the functions that the commands call and adds no rule of its own. It opens no data, draws
no noise and charges nothing; all it may write is a plan file.
"""
