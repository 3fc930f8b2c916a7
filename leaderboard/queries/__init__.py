"""What a page shows, one function a page: frozen rows, and a number of queries that does not grow with them."""
