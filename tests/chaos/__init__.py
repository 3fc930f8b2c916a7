"""Proof under fire: real processes, a nemesis with seeded instants, and a checker that reads the history afterwards."""
