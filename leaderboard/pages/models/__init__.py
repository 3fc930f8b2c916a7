"""One model: its ranks, runs, items, tables and badge."""
