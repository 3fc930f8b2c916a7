"""What a score means: the overview of the statistics, a module a section."""
