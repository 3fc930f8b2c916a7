"""What others take away: files, feeds, citations."""
