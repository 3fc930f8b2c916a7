"""A mark of all that pages are made with, so that nothing kept outlives the code, template or style it was made by."""

from django.conf import settings

from evaluation.code_version import fingerprint

FOLDERS = ("evaluation", "leaderboard", "templates", "static")
SUFFIXES = frozenset({".py", ".toml", ".json", ".html", ".txt", ".css", ".js", ".svg"})

SITE_VERSION = fingerprint([settings.BASE_DIR / name for name in FOLDERS], SUFFIXES)
