from hub.downloads.rate import Rate


class Timer:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_yet_is_no_rate() -> None:
    assert Rate(Timer()).per_second() == 0


def test_a_steady_stream_has_its_own_rate() -> None:
    timer = Timer()
    rate = Rate(timer)

    for _ in range(200):
        rate.add(100)
        timer.now += 0.05

    assert 1900 <= rate.per_second() <= 2100


def test_what_is_older_than_the_window_is_forgotten() -> None:
    timer = Timer()
    rate = Rate(timer)
    rate.add(1_000_000)
    timer.now += 4
    rate.add(50)
    timer.now += 1.5

    assert rate.per_second() == 10


def test_a_stream_that_stopped_falls_to_nothing() -> None:
    timer = Timer()
    rate = Rate(timer)
    rate.add(1_000_000)
    timer.now += 6

    assert rate.per_second() == 0


def test_the_first_moment_claims_no_wild_rate() -> None:
    rate = Rate(Timer())
    rate.add(1000)

    assert rate.per_second() == 1000
