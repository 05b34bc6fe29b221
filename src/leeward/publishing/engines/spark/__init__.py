"""Spark as a database of three tables: Java, session, tables; an optional extra."""
