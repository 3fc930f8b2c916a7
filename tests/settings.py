"""The tests' overlay: the product's settings with a secret, a database of its own, and cheap passwords."""

import os

os.environ.update(DEBUG="true", SECRET_KEY="tests-only")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of the thousand processes of the tests compiles all modules

from leaderboard.settings import *  # noqa: F403
from leaderboard.settings import DATABASES, STATIC_ROOT, VAR_DIR

VAR_DIR.mkdir(exist_ok=True)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads and worker processes of a test must see the same database under the real modes.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
# WhiteNoise warns of a missing folder, and warnings are errors here; a production start collects into it.
STATIC_ROOT.mkdir(exist_ok=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SUBMISSIONS_TRUSTED_NETWORKS = []  # the tests submit as strangers do
STAMP_SECONDS = 0.0  # a test looks at a page right after what it changed
