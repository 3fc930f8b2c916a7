"""Pages of EmotionBench alone."""
