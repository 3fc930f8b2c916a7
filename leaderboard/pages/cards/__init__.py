"""Cards of shared links: their words and their pictures."""
