"""The whole of a board as one file, and back: the same file for SQLite and for PostgreSQL.

A backup is a zip file. `<app>.<Model>.jsonl` holds the names of the columns in its first line and then a row a line, in
the order of the primary key; `manifest.json` holds the form's version, the newest migration of each app, and of each
table the rows and the sha256 of its text. Nothing is ever held in memory but a few hundred rows.
"""

from leaderboard.backups.reading import BackupError, restore
from leaderboard.backups.writing import back_up

__all__ = ["BackupError", "back_up", "restore"]
