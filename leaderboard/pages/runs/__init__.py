"""One run: its state, its items, its files."""
