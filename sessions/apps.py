"""The Django app `sessions`."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions"
    # "sessions" is the label of django.contrib.sessions, which the admin needs.
    label = "chat_sessions"
    verbose_name = "Chat sessions"
