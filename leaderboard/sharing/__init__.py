"""What others take away: files, feeds, badges, citations."""
