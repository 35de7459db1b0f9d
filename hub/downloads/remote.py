"""The Hub over HTTP: what a repo holds, the bytes of a file, and its errors in our words."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx2
from huggingface_hub import HfApi, get_session, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from hub.downloads.errors import (
    AccessNeeded,
    DownloadError,
    HubUnreachable,
    RefusedByHub,
    RepoNotFound,
)
from hub.downloads.listing import Listing

TIMEOUT = 10  # seconds without an answer, or without a byte
# What `huggingface_hub` raises for an answer that is not the JSON it looks for.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
TRY_LATER = {408, 425, 429, 500, 502, 503, 504}


def authorization(token: str | None) -> dict[str, str]:
    """The header that carries a token. A redirect to another host goes without it."""
    return {"Authorization": f"Bearer {token}"} if token else {}


@dataclass(frozen=True, slots=True)
class RemoteHub:
    """endpoint: "https://huggingface.co" or a mirror. token: sent to the endpoint alone."""

    endpoint: str
    token: str | None = field(default=None, repr=False)

    def list_model(self, repo_id: str, revision: str) -> Listing:
        """Ask what the repo holds; raises a DownloadError."""
        api = HfApi(endpoint=self.endpoint, token=self.token or False)
        with self._errors_of(repo_id):
            try:
                info = api.model_info(
                    repo_id, revision=revision, files_metadata=True, timeout=TIMEOUT
                )
                return Listing.of(repo_id, info)
            except HfHubHTTPError:
                raise  # its BadRequestError is a ValueError as well
            except MALFORMED as error:
                # A sign-in page of the network, or a mirror that is none.
                raise HubUnreachable(
                    f"what {self.endpoint} answers about {repo_id} is not the Hub's answer; "
                    "check HF_ENDPOINT and the network"
                ) from error

    @contextmanager
    def open(
        self, repo_id: str, commit: str, path: str, *, offset: int
    ) -> Iterator[tuple[Iterator[bytes], int]]:
        """Begin to read a file, and yield its blocks and the offset that they start at.

        That is `offset`, or 0 where the server takes no notice of it. Errors, those of the
        connection while the blocks are read included, are DownloadErrors.
        """
        url = hf_hub_url(repo_id, path, revision=commit, endpoint=self.endpoint)
        # Without compression, offsets are those of the file itself.
        headers = {**authorization(self.token), "Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        with (
            self._errors_of(repo_id),
            get_session().stream("GET", url, headers=headers, timeout=TIMEOUT) as response,
        ):
            hf_raise_for_status(response)
            resumed = response.status_code == httpx2.codes.PARTIAL_CONTENT
            yield response.iter_bytes(), offset if resumed else 0

    @contextmanager
    def _errors_of(self, repo_id: str) -> Iterator[None]:
        try:
            yield
        except OfflineModeIsEnabled as error:
            raise HubUnreachable("HF_HUB_OFFLINE is set, so nothing is fetched") from error
        except HfHubHTTPError as error:
            raise self._translate(repo_id, error) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise HubUnreachable(f"the Hub cannot be reached: {reason}") from error

    def _translate(self, repo_id: str, error: HfHubHTTPError) -> DownloadError:
        status = error.response.status_code
        page = f"{self.endpoint}/{repo_id}"
        if isinstance(error, GatedRepoError):
            return AccessNeeded(
                f"{repo_id} is gated: accept its terms at {page}, then {self._about_token}"
            )
        if isinstance(error, RevisionNotFoundError):
            return RepoNotFound(f"{repo_id} has no such revision: see {page}/tree/main")
        if isinstance(error, RemoteEntryNotFoundError):
            return RepoNotFound(f"{repo_id} lists a file that the Hub does not have")
        if isinstance(error, RepositoryNotFoundError):
            return RepoNotFound(
                f"the Hub has no {repo_id}, or it is private: "
                f"check the name, or {self._about_token}"
            )
        if status in (401, 403):
            return AccessNeeded(f"the Hub refuses {repo_id} ({status}): {self._about_token}")
        if status in TRY_LATER:
            return HubUnreachable(f"the Hub answered {status} for {repo_id}; try again later")
        return RefusedByHub(f"the Hub answered {status} for {repo_id}")

    @property
    def _about_token(self) -> str:
        if self.token is None:
            return "save a token that may read it, in the settings or in HF_TOKEN"
        return "make sure that your token may read it"
