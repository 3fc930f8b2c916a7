"""The sentences of the pages, each computed from what it speaks of: no query, no request."""
