"""The one settings file: typed reads of the environment, development values only under DEBUG.

A `.env` beside manage.py (written by `make setup` for development, never committed) is read first; real variables win.
Without it production rules hold: what must be set and is not stops the start with the list of it.
"""

import base64
import os
import sys
import tempfile
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard.environment import Environment, check_broker, database_at, mail_at

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
ENV_FILE = BASE_DIR / ".env"
env.read_file(ENV_FILE)
VAR_DIR: Path = BASE_DIR / env.str("VAR_DIR", default="var")

DEBUG = env.bool("DEBUG", default=False)


def required(name: str, development: str) -> str:
    """The variable, or under DEBUG the development value. Collects what is missing instead of failing one by one."""
    value: str = env.str(name, default="") or (development if DEBUG else "")
    if not value and not DEBUG:
        missing.append(name)
    return value


def parts(text: str) -> list[str]:
    """Of a list with commas, without blanks around its entries."""
    return [part.strip() for part in text.split(",") if part.strip()]


def advice_for_development(env_file: Path) -> str:
    """What somebody can do who expects the settings in a .env."""
    if not env_file.exists():
        return "For development alone: 'make setup'."
    if not os.access(env_file, os.R_OK):
        return f"{env_file} belongs to another user and cannot be read: run this as {owner(env_file)}."
    if not env_file.read_bytes().strip():
        return f"{env_file} is empty. For development alone: 'make setup' writes it again."
    return f"{env_file} does not set them. If it was cut short, delete it; for development alone: 'make setup'."


def owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, NotImplementedError):
        return "its owner"


missing: list[str] = []
SECRET_KEY = required("SECRET_KEY", "development-only")
ALLOWED_HOSTS = parts(required("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]"))
DEVELOPMENT_KEY = base64.urlsafe_b64encode(sha256(b"development-only").digest()).decode()
# Seal the keys of endpoints: the first writes, all read. Apart from SECRET_KEY, so that either can change alone.
ENDPOINT_KEYS = parts(required("ENDPOINT_KEYS", DEVELOPMENT_KEY))
DATABASE_URL = required("DATABASE_URL", f"sqlite:///{quote(str(VAR_DIR / 'db.sqlite3'))}")
REDIS_URL = required("REDIS_URL", "")  # under DEBUG `manage.py serve` starts one
if missing:
    raise ImproperlyConfigured(
        f"Not set: {', '.join(missing)}. Set each in the environment of the service (docs/deployment.md); "
        f"there deploy/manage runs manage.py with it. {advice_for_development(ENV_FILE)}"
    )


def check_fernet_keys(keys: list[str]) -> None:
    """Stops the start for a key that cannot seal, and never quotes it."""
    for number, key in enumerate(keys, 1):
        try:
            length = len(base64.urlsafe_b64decode(key))
        except ValueError:
            length = 0
        if length != 32:
            cut = " If .env was cut short, delete it and run 'make setup'." if DEBUG and ENV_FILE.exists() else ""
            raise ImproperlyConfigured(f"ENDPOINT_KEYS: key {number} is not 32 bytes in URL-safe base64.{cut}")


def reachable(name: str, text: str, starts: tuple[str, ...] = ("https://", "http://")) -> str:
    """The address that a page links to: a web address, an e-mail address where `starts` holds "mailto:", or ""."""
    mailed = "mailto:" in starts and "@" in text and "/" not in text
    address = f"mailto:{text.removeprefix('mailto:')}" if mailed else text
    if text and (not address.startswith(starts) or " " in address):
        raise ImproperlyConfigured(f"{name}: {text!r} is no address that a page can link to.")
    return address


def site_url() -> str:
    """Where visitors find this site; "" where that is not known, and under DEBUG, where the board itself tells it."""
    hosts = [host for host in ALLOWED_HOSTS if host[:1] not in ".*" and host not in ("localhost", "127.0.0.1", "[::1]")]
    return f"https://{hosts[0]}" if hosts and not DEBUG else ""


check_fernet_keys(ENDPOINT_KEYS or [""])
SITE_URL = reachable("SITE_URL", env.str("SITE_URL", default="") or site_url()).rstrip("/")

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py finds the admin modules: commands and workers need none
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "evaluation",
    "leaderboard",
    "leaderboard.study",
    "axes",  # after the board, which has a command of its in another form
]
MIDDLEWARE = [
    "leaderboard.operations.metrics.TimedMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "axes.middleware.AxesMiddleware",
    "leaderboard.operations.outage.OutageMiddleware",
    *(["leaderboard.starting.not_found.own_not_found"] if DEBUG else []),
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "leaderboard.visible_templates.VisibleTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": database_at(DATABASE_URL)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Measured: with WAL and IMMEDIATE no writer of eight was ever refused; Django's default mode refused most.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
STAMP_SECONDS = env.float("STAMP_SECONDS", default=1)  # how long a page may lag behind a new result; 0 asks each time
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    # Pages as they were made, of this process alone; what is not there is made anew. A page takes 3 to 30 kB.
    "default": {"BACKEND": "leaderboard.operations.steady.SteadyCache", "OPTIONS": {"MAX_ENTRIES": 2_000}},
    # What is counted for limits: one store for all processes. A migration makes the table.
    "limits": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "limits",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
}
# smtp://user:password@host:587, smtp+tls:// or smtp+ssl://; by default mail is written to the console.
EMAIL_URL = env.str("EMAIL_URL", default="")
vars().update(mail_at(EMAIL_URL or "consolemail://"))
if not (EMAIL_URL or DEBUG):
    sys.stderr.write("WARNING: EMAIL_URL is not set: mail to submitters goes to the log, and to nobody else.\n")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="EQ Leaderboard <noreply@localhost>")
EMAIL_TIMEOUT = 20


def embedded_redis_socket() -> Path:
    """The socket of the embedded Redis; under the temporary folder where the path would be too long for a socket."""
    path = VAR_DIR / "redis.sock"
    if len(str(path)) < 100:  # the kernel's limit is 107 bytes
        return path
    return Path(tempfile.gettempdir()) / f"eq-leaderboard-{sha256(str(path).encode()).hexdigest()[:16]}.sock"


check_broker(REDIS_URL)
REDIS_SOCKET = None if REDIS_URL else embedded_redis_socket()

CELERY_BROKER_URL = REDIS_URL or f"redis+socket://{quote(str(REDIS_SOCKET))}"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_MAX_TASKS_PER_CHILD = env.int("WORKER_MAX_TASKS_PER_CHILD", default=200)
CELERY_WORKER_MAX_MEMORY_PER_CHILD = env.int("WORKER_MAX_MEMORY_PER_CHILD", default=150_000)  # KiB
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10.0
CELERY_WORKER_ENABLE_SOFT_SHUTDOWN_ON_IDLE = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CONSUMER = "leaderboard.operations.consumer:Consumer"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: a worker waits for its broker
CELERY_BROKER_CHANNEL_ERROR_RETRY = True  # also for one that refuses, as where its memory is full
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": env.int("BROKER_VISIBILITY_TIMEOUT_SECONDS", default=3600),
    "health_check_interval": 25,
    "socket_keepalive": REDIS_SOCKET is None,  # a unix socket has no keep-alive
    # What a page, which only rings the doorbell, can be held up by a Redis that accepts and never answers.
    "socket_timeout": 5,
    "socket_connect_timeout": 3,
    "max_retries": 0,  # of a call: one that is lost is made again by the clock
}
RUN_SLICE_SECONDS = env.float("RUN_SLICE_SECONDS", default=540)
ENDPOINT_TIMEOUT_SECONDS = env.float("ENDPOINT_TIMEOUT_SECONDS", default=120)
# What is in flight when a slice is over may end: a last reply, or what is left of the three that one item may need.
RUN_LAST_REPLIES_SECONDS = max(ENDPOINT_TIMEOUT_SECONDS, 3 * ENDPOINT_TIMEOUT_SECONDS - RUN_SLICE_SECONDS)
CELERY_TASK_SOFT_TIME_LIMIT = RUN_SLICE_SECONDS + RUN_LAST_REPLIES_SECONDS + 120
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 60

RUN_LEASE_SECONDS = env.float("RUN_LEASE_SECONDS", default=45)
RUN_HEARTBEAT_SECONDS = env.float("RUN_HEARTBEAT_SECONDS", default=10)
RUN_REAPER_SECONDS = env.float("RUN_REAPER_SECONDS", default=15)
RUN_RING_AGAIN_SECONDS = env.float("RUN_RING_AGAIN_SECONDS", default=60)
RUN_MAX_IDLE_CLAIMS = env.int("RUN_MAX_IDLE_CLAIMS", default=20)
RUNS_PER_HOST = env.int("RUNS_PER_HOST", default=1)  # at once on one endpoint host; 0 sets no limit, as in the next
RUNS_PER_OWNER = env.int("RUNS_PER_OWNER", default=2)
PRIVATE_BANK_RUNS = env.int("PRIVATE_BANK_RUNS", default=3)  # that count on a private bank, of one host, owner or maker
RUN_DRAIN_SECONDS = env.float("RUN_DRAIN_SECONDS", default=10)
RUN_BREAKER_WAITS_SECONDS = env.waits("RUN_BREAKER_WAITS_SECONDS", [300, 900, 3600, 21600])
ENDPOINT_MAX_CONCURRENCY = env.int("ENDPOINT_MAX_CONCURRENCY", default=64)
ENDPOINT_BACKOFF_SECONDS = env.float("ENDPOINT_BACKOFF_SECONDS", default=1)
ENDPOINT_KEY_DAYS = env.int("ENDPOINT_KEY_DAYS", default=14)
REPLY_DAYS = env.int("REPLY_DAYS", default=0)  # reply texts of runs that are not listed; 0 keeps them for ever
CONTACT_DAYS = env.int("CONTACT_DAYS", default=365)  # of submitters, after the end of their last run; 0 is for ever
ENDPOINT_PORTS = env.list("ENDPOINT_PORTS", cast=int, default=[80, 443, 1234, 8000, 8080, 8443, 11434])
ENDPOINT_ALLOWED_NETWORKS = env.networks("ENDPOINT_ALLOWED_NETWORKS", ["127.0.0.0/8", "::1/128"] if DEBUG else [])
if ENDPOINT_ALLOWED_NETWORKS and not DEBUG:
    sys.stderr.write(
        f"WARNING: ENDPOINT_ALLOWED_NETWORKS is {', '.join(ENDPOINT_ALLOWED_NETWORKS)}: "
        "whoever may submit an endpoint can make this server call any port there.\n"
    )
SITE_HOSTS = parts(env.str("SITE_HOSTS", default="")) or ALLOWED_HOSTS  # names of this site, which no endpoint may have
RUN_FINISHED_TASKS = [
    "leaderboard.tasks.refresh_standings",  # and the statistics after them
    "leaderboard.tasks.tell_submitters",
    "leaderboard.tasks.note_drift",
    "evaluation.tasks.open_judge_runs",
    "leaderboard.study.tasks.make_demo_study",
]
MANAGE_COMMAND = env.str("MANAGE_COMMAND", default="")  # what calls manage.py, in sentences that name a command
RUN_PAGE = "/runs/{}/"
RUN_ADVICE = "leaderboard.wording.advice.advice_of"  # what a command says beside it, as the page does
RUN_DOUBT = "leaderboard.submissions.doubts.doubt_about_scale"  # and of a score, as a moderator reads it
RUN_STANDINGS = "leaderboard.standings.refresh_standings"  # what a command computes by itself where no worker lives
SUBMISSIONS_PER_DAY = env.int("SUBMISSIONS_PER_DAY", default=10)  # of one owner
# Without a moderator, when the dry run passed and there is no doubt; the second lists the score as well.
SUBMISSIONS_AUTO_APPROVE = env.bool("SUBMISSIONS_AUTO_APPROVE", default=DEBUG)
SUBMISSIONS_AUTO_PUBLISH = env.bool("SUBMISSIONS_AUTO_PUBLISH", default=DEBUG)
# Whoever submits from there is believed about which model an endpoint serves; on one's own machine that is oneself.
SUBMISSIONS_TRUSTED_NETWORKS = env.networks("SUBMISSIONS_TRUSTED_NETWORKS", ["127.0.0.0/8", "::/64"] if DEBUG else [])
# Makes hashes of raters' ids (docs/study.md); empty takes SECRET_KEY. A changed one knows nobody of a running study.
STUDY_ID_KEY = env.str("STUDY_ID_KEY", default="")
STUDY_ENTRIES_PER_ADDRESS = env.int("STUDY_ENTRIES_PER_ADDRESS", default=120)  # of raters in ten minutes; 0: no limit
DRY_RUN_SECONDS = env.float("DRY_RUN_SECONDS", default=90)
DRY_RUN_SILENCE_SECONDS = env.float("DRY_RUN_SILENCE_SECONDS", default=30)  # of an endpoint, before its next byte
DRY_RUN_TURN_SECONDS = env.float("DRY_RUN_TURN_SECONDS", default=15)  # which it keeps, though others wait
DRY_RUNS_PER_ADDRESS = env.int("DRY_RUNS_PER_ADDRESS", default=20)  # in ten minutes, as the next one
DRY_RUNS_PER_HOST = env.int("DRY_RUNS_PER_HOST", default=30)
# Who answers for this board, and where the code that runs it can be read: links of every page, where they are set.
CONTACT = reachable("CONTACT", env.str("CONTACT", default=""), ("https://", "http://", "mailto:"))
SOURCE_URL = reachable("SOURCE_URL", env.str("SOURCE_URL", default=""))
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # opens /metrics to its bearer; without one only loopback reads it
READY_SILENCE_SECONDS = env.float("READY_SILENCE_SECONDS", default=180)  # of the reaper, of workers: longer is ill
# How many proxies of ours append to X-Forwarded-For; what stands further left in it was typed by a stranger.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=1 if env.bool("BEHIND_PROXY", default=False) else 0)
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULER = "leaderboard.operations.steady:SteadyScheduler"
CELERY_BEAT_SCHEDULE = {
    "requeue-stalled-runs": {"task": "evaluation.tasks.requeue_stalled_runs", "schedule": RUN_REAPER_SECONDS},
    "purge-keys": {"task": "evaluation.tasks.purge_keys", "schedule": 3600.0},
    "purge-replies": {"task": "evaluation.tasks.purge_replies", "schedule": 3600.0},
    "open-judge-runs": {"task": "evaluation.tasks.open_judge_runs", "schedule": 600.0},
    "refresh-standings": {"task": "leaderboard.tasks.refresh_standings", "schedule": 300.0},
    "refresh-statistics": {"task": "leaderboard.tasks.refresh_statistics", "schedule": 120.0},
    "tell-submitters": {"task": "leaderboard.tasks.tell_submitters", "schedule": 60.0},
    "open-scheduled-runs": {"task": "leaderboard.tasks.open_scheduled_runs", "schedule": 600.0},
    "note-drift": {"task": "leaderboard.tasks.note_drift", "schedule": 3600.0},
    "expire-reservations": {"task": "leaderboard.study.tasks.expire_reservations", "schedule": 60.0},
    "anonymise-raters": {"task": "leaderboard.study.tasks.anonymise", "schedule": 3600.0},
    "refresh-study-results": {"task": "leaderboard.study.tasks.refresh_study_results", "schedule": 300.0},
    "purge-administration": {"task": "leaderboard.tasks.purge_administration", "schedule": 3600.0},
}

LANGUAGE_CODE = "en"
TIME_ZONE = CELERY_TIMEZONE = "UTC"
USE_I18N = False
FORMAT_MODULE_PATH = "leaderboard.administration.formats"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / env.str("STATIC_ROOT", default="staticfiles")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.plotly_bundle.PlotlyFinder",
]
WHITENOISE_USE_FINDERS = DEBUG

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEBUG
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "leaderboard.study.entry_views.csrf_failed"
SESSION_COOKIE_AGE = 12 * 3600
if not DEBUG:
    # Browsers take these names over TLS alone, for this host alone: no neighbouring host can plant one.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
# Who fails to log in so often waits so long: counted by name and network together, so that nobody locks out another.
AXES_FAILURE_LIMIT = env.int("LOGIN_FAILURES", default=5)
AXES_COOLOFF_TIME = timedelta(minutes=env.int("LOGIN_LOCK_MINUTES", default=15))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_HANDLER = "leaderboard.administration.logging_in.NetworkHandler"
AXES_CLIENT_IP_CALLABLE = "leaderboard.administration.logging_in.network_address"
AXES_LOCKOUT_CALLABLE = "leaderboard.administration.logging_in.locked_out"
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the sentence names a time, and that holds
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
LOGIN_LOG_DAYS = env.int("LOGIN_LOG_DAYS", default=90)  # how long logins and failed ones are kept; 0 is for ever
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=not DEBUG)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # probes come from inside, without TLS
SECURE_HSTS_SECONDS = 0 if DEBUG else env.int("SECURE_HSTS_SECONDS", default=31_536_000)
# Neither is soon undone, and both bind hosts that are not this board: whoever owns the domain decides.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # which want both
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("BEHIND_PROXY", default=False) else None
CSRF_TRUSTED_ORIGINS = parts(env.str("CSRF_TRUSTED_ORIGINS", default=""))

LOG_FORMAT = "json" if env.str("LOG_FORMAT", default="plain") == "json" else "plain"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "leaderboard.operations.logs.PlainFormatter",
            "fmt": "{asctime} {levelname} {name} {message}",
            "style": "{",
        },
        "json": {"()": "leaderboard.operations.logs.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env.level("LOG_LEVEL", default="INFO")},
    # Whatever the level: what lies below HTTP may print the headers of a request, and with them a key.
    "loggers": {
        **{name: {"level": "WARNING"} for name in ("aiohttp", "asyncio")},
        "django": {"handlers": []},  # its own would write each line a second time under DEBUG, in a form of its own
    },
}

# Errors are reported only where somebody set an address for it.
SENTRY_DSN = env.str("SENTRY_DSN", default="")
if SENTRY_DSN:
    from leaderboard.operations.error_reports import start

    start(SENTRY_DSN, environment=env.str("SENTRY_ENVIRONMENT", default="production"))
