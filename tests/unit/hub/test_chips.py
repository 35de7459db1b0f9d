from hub.chips import bandwidth_gbps


def test_a_chip_is_known_by_the_name_people_use() -> None:
    assert bandwidth_gbps("M4 Pro") == 273
    assert bandwidth_gbps("M3 Ultra") == 819


def test_an_unknown_chip_gets_a_middling_bandwidth() -> None:
    assert bandwidth_gbps("Some CPU @ 3.0 GHz") == 273
