"""The keys of endpoints: sealed, opened just before use, erased."""
