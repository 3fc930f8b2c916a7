"""The items of a bank, and one item over all models."""
