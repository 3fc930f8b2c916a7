"""A run from opening to end: asking, recording, resuming, scoring, judging, reporting."""
