"""The tests' overlay: the product's settings under DEBUG-like secrets, a database file of its own, short waits."""

import os

os.environ.update(DEBUG="true", SECRET_KEY="tests-only")
os.environ.setdefault("LOG_LEVEL", "WARNING")

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import DATABASES, VAR_DIR  # noqa: E402

VAR_DIR.mkdir(exist_ok=True)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads and worker processes of a test must see the same database under the real modes.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
