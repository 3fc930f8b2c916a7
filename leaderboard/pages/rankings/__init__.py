"""The ranked tables: columns, rows, filters, order. Most other subjects build on it."""
