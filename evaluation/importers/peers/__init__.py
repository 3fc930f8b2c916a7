"""Results of lm-evaluation-harness and evalscope into runs: files read, items matched by their prompts, scored anew."""
