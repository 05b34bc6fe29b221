"""Interface: what people see."""
