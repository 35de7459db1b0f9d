"""Tests run on settings of their own, in whatever process."""

from django.conf import settings


def test_every_process_of_tests_takes_their_settings():
    assert settings.SETTINGS_MODULE == "tests.settings"
