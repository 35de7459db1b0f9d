"""A dataset repo of the Hub: what it holds, and its files as streams."""

import contextlib
import io
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import httpx2
from huggingface_hub import DatasetCard, HfApi, get_session, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from yaml import YAMLError

from hub.downloads.names import is_safe_path
from hub.downloads.remote import TIMEOUT, authorization
from jobs.dataset.errors import DatasetError

LARGEST_README = 4 * 2**20  # bytes
TRIES = 4  # of a connection that breaks
README = "README.md"


@dataclass(frozen=True, slots=True)
class DatasetRepo:
    """One repo at one commit. files: paths, by name. card: the metadata of its README."""

    endpoint: str
    repo_id: str
    commit: str
    files: tuple[str, ...]
    token: str | None = field(default=None, repr=False)

    @classmethod
    def find(cls, endpoint: str, repo_id: str, token: str | None) -> "DatasetRepo":
        """Ask what the repo holds. Raises DatasetError."""
        api = HfApi(endpoint=endpoint, token=token or False)
        with _errors_of(repo_id):
            info = api.dataset_info(repo_id, timeout=TIMEOUT)
        names = [sibling.rfilename for sibling in info.siblings or ()]
        files = tuple(sorted(filter(is_safe_path, names)))
        return cls(endpoint, repo_id, info.sha or "main", files, token)

    def configs(self) -> list[dict[str, Any]]:
        """The configurations that the README declares; none if it cannot be understood."""
        if README not in self.files:
            return []
        with self.open(README) as file:
            text = file.read(LARGEST_README).decode(errors="replace")
        try:
            card = DatasetCard(text, ignore_metadata_errors=True)
            declared = getattr(card.data, "configs", None)
        except (ValueError, TypeError, YAMLError, RecursionError):  # the repo is anybody's
            return []
        if not isinstance(declared, list):
            return []
        return [config for config in declared if isinstance(config, dict)]

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        """Begin to read a file; what is read is what is fetched. Raises DatasetError."""
        with _errors_of(self.repo_id), contextlib.closing(self._blocks(path)) as blocks:
            yield io.BufferedReader(BlockReader(blocks))

    def _blocks(self, path: str) -> Generator[bytes]:
        url = hf_hub_url(
            self.repo_id, path, repo_type="dataset", revision=self.commit, endpoint=self.endpoint
        )
        offset, tries = 0, 0
        while True:
            headers = {**authorization(self.token), "Accept-Encoding": "identity"}
            if offset:
                headers["Range"] = f"bytes={offset}-"
            try:
                with get_session().stream(
                    "GET", url, headers=headers, timeout=TIMEOUT, follow_redirects=True
                ) as response:
                    hf_raise_for_status(response)
                    if offset and response.status_code != httpx2.codes.PARTIAL_CONTENT:
                        raise DatasetError(f"{path} broke off, and the Hub does not go on with it")
                    for block in response.iter_bytes():
                        yield block
                        offset += len(block)
                        tries = 0
                return
            except httpx2.TransportError:
                tries += 1
                if tries == TRIES:
                    raise


class BlockReader(io.RawIOBase):
    """Blocks of bytes as a file that is read once, from its beginning."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


@contextlib.contextmanager
def _errors_of(repo_id: str) -> Iterator[None]:
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise DatasetError("HF_HUB_OFFLINE is set, so nothing is fetched: unset it") from error
    except GatedRepoError as error:
        raise DatasetError(
            f"{repo_id} is gated: accept its terms on its page, then save a token that may read it"
        ) from error
    except RepositoryNotFoundError as error:
        raise DatasetError(
            f"the Hub has no dataset {repo_id}, or it is private: check the name, or save a token "
            "that may read it"
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        raise DatasetError(f"the Hub answered {status} for {repo_id}: try again later") from error
    except httpx2.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise DatasetError(f"the Hub cannot be reached ({reason}): try again later") from error
