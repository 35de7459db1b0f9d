"""How thoroughly the server is tried: an option of the runs that name these tests."""

import pytest

FUZZ_REQUESTS = 600


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fuzz-requests",
        type=int,
        default=FUZZ_REQUESTS,
        help="requests that tests/e2e/test_fuzz.py draws; another number draws others",
    )


@pytest.fixture
def fuzz_requests(request: pytest.FixtureRequest) -> int:
    # A run that does not name this folder loads this file too late for its option.
    return int(request.config.getoption("--fuzz-requests", default=FUZZ_REQUESTS))
