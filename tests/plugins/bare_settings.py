"""Django's settings for processes that need none, which then start three times as fast."""

SECRET_KEY = "none"
INSTALLED_APPS: list[str] = []
