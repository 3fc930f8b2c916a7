"""The page of one submission, and its place in the queue."""
