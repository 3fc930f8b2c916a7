"""Who runs this board, and how long it keeps what it is told."""
