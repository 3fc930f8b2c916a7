"""Names of a ranking's files, for pages, which must not load what writes them."""

SCORES, PAIRS = "item-scores", "pairs"
FILE_COLUMNS = ("file", "rows", "columns", "bytes", "sha256")
