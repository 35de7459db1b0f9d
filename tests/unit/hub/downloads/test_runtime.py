import pytest

from hub.config import HubConfig
from hub.downloads import runtime
from hub.downloads.errors import DownloadError


@pytest.mark.usefixtures("hub_settings")
def test_there_is_one_for_the_process_until_it_is_stopped() -> None:
    first = runtime.get_downloads()
    assert runtime.get_downloads() is first

    runtime.stop()

    with pytest.raises(DownloadError, match="the server is stopping"):
        first.start("owner/model")
    assert runtime.get_downloads() is not first


def test_stopping_what_never_began_is_fine(hub_settings: HubConfig) -> None:
    runtime.stop()
    runtime.stop()

    assert not hub_settings.hf_cache_dir.exists()
