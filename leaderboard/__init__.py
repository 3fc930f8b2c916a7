"""The site: pages, standings, submissions."""

import os

# Sums of numpy are done on one core: a thread for each further core costs a command 80 ms when numpy is loaded. It
# must be set before that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
