"""Settings, from the environment. docs/configuration.md has the table for people."""

import os
import re
from pathlib import Path
from typing import Any, TypeVar

import dj_database_url
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from reverie.local.failures import CannotStart
from reverie.local.home import database_url, home, secret
from reverie.logs import configured

BASE_DIR = Path(__file__).resolve().parent.parent
REVERIE_HOME = home()


Number = TypeVar("Number", int, float)


def _list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _flag(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    return default if not value else value in {"1", "true", "yes", "on"}


def _number(name: str, default: Number) -> Number:
    """A number of at least 0 from the environment; a whole one where the default is whole."""
    value = os.environ.get(name, "").strip()
    try:
        number = type(default)(value) if value else default
    except ValueError:
        number = type(default)(-1)
    if not 0 <= number < float("inf"):
        raise CannotStart(f"{name} has to be a number, and it is {value!r}.")
    return number


def _choice(name: str, *known: str) -> str:
    """One of these words from the environment; the first one when it is not set."""
    value = os.environ.get(name, "").strip().lower() or known[0]
    if value not in known:
        raise CannotStart(f"{name} has to be one of {', '.join(known)}, and it is {value!r}.")
    return value


# --- Where it runs ------------------------------------------------------------------------------
HOST = os.environ.get("HOST", "127.0.0.1")
PORT = _number("PORT", 8000)
DEBUG = _flag("DEBUG", False)
SECRET_KEY = os.environ.get("SECRET_KEY") or secret(REVERIE_HOME, "secret-key")
ALLOWED_HOSTS = _list("ALLOWED_HOSTS") or sorted({"localhost", "127.0.0.1", "[::1]", HOST})
if "*" in ALLOWED_HOSTS and not DEBUG:
    raise CannotStart(
        "ALLOWED_HOSTS=* would let every site open sockets in your visitors' names: list the hosts."
    )
CSRF_TRUSTED_ORIGINS = _list("CSRF_TRUSTED_ORIGINS")
PROCESS = os.environ.get("REVERIE_PROCESS", "command")  # web, worker, sweep or command

INSTALLED_APPS = [
    "daphne",
    "reverie.accounts.apps.ConsoleConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "django_q",
    "template_partials",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "reverie.local",
    "reverie.accounts",
    "reverie.providers",
    "characters",
    "memories",
    "conversations",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "reverie.edge.plain_refusals",
    "reverie.edge.clean_edge",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "reverie.accounts.middleware.PersonMiddleware",
    "reverie.accounts.middleware.seen",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "reverie.edge.GoneIsNotFound",
]

ROOT_URLCONF = "reverie.urls"
ASGI_APPLICATION = "reverie.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reverie.accounts.context.page",
            ],
        },
    }
]

# --- Database, queue, live layer ----------------------------------------------------------------
DATABASE_URL = os.environ.get("DATABASE_URL") or database_url(REVERIE_HOME)
_database: dict[str, Any] = {**dj_database_url.parse(DATABASE_URL)}
DATABASES = {"default": _database}
_database["CONN_HEALTH_CHECKS"] = True
if PROCESS == "web":
    # Daphne leaks connections with CONN_MAX_AGE; a pool bounds them (C53). qcluster can't have one.
    # Idle ones are given back (C54). It must not wait ever longer for a database that was lost:
    # whoever needs a connection asks anew, so that all is well soon after it is back (P9).
    _database.setdefault("OPTIONS", {})["pool"] = {
        "min_size": 2,
        "max_size": 20,
        "max_idle": _number("DATABASE_IDLE_SECONDS", 60.0),
        "timeout": _number("DATABASE_WAIT_SECONDS", 6.0),
        "reconnect_timeout": 3,
    }
elif PROCESS in {"worker", "sweep"}:
    _database["CONN_MAX_AGE"] = 600
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "")
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "capacity": 1000},
    }
    if REDIS_URL
    else {"BACKEND": "reverie.local.channels.PostgresLayer"}
}

# Counts wrong passwords, for all web processes together: memory of one process would be forgotten
# at its restart and would give every further process five tries more.
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "reverie_cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    "process": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "process",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}

# The queue is a doorbell: truth is our rows, recovery is `sweep`, never django-q2's own retry.
Q_CLUSTER = {
    "name": "reverie",
    "orm": "default",
    "workers": 2,
    "queue_limit": 2,
    "timeout": 300,
    "retry": 1800,
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
    "poll": 0.2,
    "save_limit": 1000,
}

# --- People -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 60
SESSION_COOKIE_SAMESITE = "Lax"
SEEN_SECONDS = 300  # how exactly the list of sessions knows when one was last seen
PASSWORD_RESET_TIMEOUT = 60 * 60 * 24  # seconds that a sign-in link works
REGISTRATION = _choice("REGISTRATION", "closed", "open")  # closed: by invitation only
ACCOUNT_ADAPTER = "reverie.accounts.adapters.People"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_CHANGE_EMAIL = True  # one address each; a new one takes its place when it is confirmed
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_RATE_LIMITS = {  # times / span / whose; no span is over a quarter of an hour (429.html)
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",  # codes of the second factor count here too
    "signup": "20/m/ip",
    "reset_password": "20/m/ip,3/15m/key",
    "reset_password_from_key": "20/m/ip",
    "reauthenticate": "10/m/user",
    "manage_email": "5/15m/user",
}
# Of the addresses in X-Forwarded-For, how many come from proxies of one's own; else it may lie.
ALLAUTH_TRUSTED_PROXY_COUNT = _number("TRUSTED_PROXIES", 0)
MFA_ADAPTER = "reverie.accounts.adapters.SecondFactor"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Reverie"
MFA_TOTP_TOLERANCE = 1  # steps of 30 seconds that a clock may be wrong
MFA_ALLOW_UNVERIFIED_EMAIL = True  # where no mail is sent, no address can be verified
# What seals secrets in the database (A9): the first key seals, all of them open.
FIELD_KEYS = _list("FIELD_KEYS") or [secret(REVERIE_HOME, "field-key")]
if not all(re.fullmatch(r"[\w-]{43}=", key, re.ASCII) for key in FIELD_KEYS):
    raise CannotStart("FIELD_KEYS has to be a list of keys of 32 bytes in URL-safe base64.")

# --- Mail ---------------------------------------------------------------------------------------
EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = _number("EMAIL_PORT", 587)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_SSL = EMAIL_PORT == 465
EMAIL_USE_TLS = not EMAIL_USE_SSL and _flag("EMAIL_USE_TLS", True)
EMAIL_TIMEOUT = 10  # seconds: somebody waits for the page
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL") or EMAIL_HOST_USER or "reverie@localhost"
SENDS_MAIL = bool(EMAIL_HOST)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if SENDS_MAIL else 'dummy'}.EmailBackend"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ja", _("Japanese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- What browsers may do -----------------------------------------------------------------------
BEHIND_TLS = _flag("BEHIND_TLS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = REVERIE_HOME / "media"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# --- Models that talk and models that embed -----------------------------------------------------
CHAT_BASE_URL = os.environ.get("CHAT_BASE_URL", "")
CHAT_API_KEY = os.environ.get("CHAT_API_KEY", "")
CHAT_MODEL = os.environ.get("CHAT_MODEL", "")
CHAT_CACHE_MARKS = _flag("CHAT_CACHE_MARKS", True) if "CHAT_CACHE_MARKS" in os.environ else None
CHAT_CONTEXT_TOKENS = _number("CHAT_CONTEXT_TOKENS", 0)
EMBEDDING_BASE_URL = os.environ.get("EMBEDDING_BASE_URL", "")
EMBEDDING_API_KEY = os.environ.get("EMBEDDING_API_KEY", "")
EMBEDDING_MODEL = os.environ.get("EMBEDDING_MODEL", "")
PROVIDER_PRIVATE_HOSTS = _list("PROVIDER_PRIVATE_HOSTS")
PROVIDER_IDLE_SECONDS = _number("PROVIDER_IDLE_SECONDS", 60.0)
DEMO_DELAY_SECONDS = _number("DEMO_DELAY_SECONDS", 0.03)

# --- Memories -----------------------------------------------------------------------------------
MEMORY_LIMIT = _number("MEMORY_LIMIT", 100)  # unpinned ones of a scope (D2)
PIN_LIMIT = _number("PIN_LIMIT", 20)  # of a scope, apart from the others (R86)
MEMORY_DECAY_ENABLED = _flag("MEMORY_DECAY_ENABLED", True)  # S74
RECALL_SECONDS = _number("RECALL_SECONDS", 1.5)  # a reply waits no longer for its search
MEMORIES_SENT = _number("MEMORIES_SENT", 100)  # unpinned ones with a reply (R64)
MEMORY_MAX_LENGTH = _number("MEMORY_MAX_LENGTH", 500)  # code points (R9)

# --- The turn -----------------------------------------------------------------------------------
MESSAGE_MAX_LENGTH = 32_000  # code points (A11)
REPLY_RESERVE_TOKENS = 1024  # kept free in the context for the reply itself
REPLY_MAX_LENGTH = 100_000  # code points; a model that never ends is stopped there
REPLY_MAX_SECONDS = 900
# A reply whose process says nothing for so long is lost (P7).
LEASE_SECONDS = _number("LEASE_SECONDS", 8.0)
SWEEP_SECONDS = _number("SWEEP_SECONDS", 5.0)
TRASH_DAYS = 30  # how long what was deleted can be brought back (D42)
FINISH_SECONDS = _number("FINISH_SECONDS", 25.0)  # for replies under way at SIGTERM (P20)
SOCKET_RECHECK_SECONDS = min(max(_number("SOCKET_RECHECK_SECONDS", 20), 1), 30)  # ≤ 30 (A2)

# --- Logging ------------------------------------------------------------------------------------
LOGGING = configured(os.environ.get("LOG_LEVEL", "INFO"))
