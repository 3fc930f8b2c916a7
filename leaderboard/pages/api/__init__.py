"""The API as a page explains it, and the rows that it may read."""
