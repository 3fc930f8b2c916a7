"""The charts of a ranking, as a page and as figures."""
