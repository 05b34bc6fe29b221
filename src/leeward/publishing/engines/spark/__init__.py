"""Spark as a database of three tables: addresses, session, tables; an optional extra."""
