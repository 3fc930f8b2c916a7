"""What monitors ask."""
