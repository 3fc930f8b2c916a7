"""Two to four models side by side."""
