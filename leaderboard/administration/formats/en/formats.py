"""As the site writes them: 29 Nov 2026, 14:05. All times are UTC."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
