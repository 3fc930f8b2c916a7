"""Pages for staff that are no list of rows: the queue board, uploads, the audit log."""
