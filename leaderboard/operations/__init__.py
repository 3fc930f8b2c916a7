"""How the site is watched while it runs: health, metrics, logs, error reports, stalled queues."""
