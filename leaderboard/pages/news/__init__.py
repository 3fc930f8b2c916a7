"""What is new on the board."""
