"""Uploads a folder to the Hugging Face Hub, as a model or as a dataset.

`huggingface_hub` does the work, over the Hub's HTTP routes: large files first, each by its
hash, so that what the Hub has is not sent again, then one commit that shows all or nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import httpx2
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.utils.tqdm import disable_progress_bars

from hub.downloads.names import check_repo_id
from hub.uploads.errors import NoToken, RefusedUpload, UnsafeSource
from hub.uploads.folder import LeftOut, OwnFile, nothing, own_files
from hub.uploads.progress import NoProgress, UploadProgress
from hub.uploads.upload_file import UploadFile

MESSAGE = "Upload by mlxsite"


class RepoKind(StrEnum):
    """What a repo on the Hub holds, in the Hub's words."""

    MODEL = "model"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class Uploader:
    """endpoint: of the Hub. token: to write with. secrets: files that never leave this machine."""

    endpoint: str
    token: str | None = field(repr=False)
    secrets: Sequence[Path] = ()

    def upload(
        self,
        folder: Path,
        repo_id: str,
        kind: RepoKind,
        *,
        private: bool = False,
        progress: UploadProgress | None = None,
        left_out: LeftOut = nothing,
    ) -> str:
        """Upload the files of a folder but those left out, and return the page of the repo.

        The repo is made if there is none; private decides about a new one alone, and an existing
        public one is then refused. Blocks for as long as that takes; any thread.
        Raises InvalidName, or an UploadError in words for people.
        """
        check_repo_id(repo_id)
        if not self.token:
            raise NoToken
        files = own_files(folder, left_out)
        self._require_no_secret(files)
        quiet_library()
        try:
            return self._upload(files, repo_id, kind, private, progress or NoProgress())
        except (httpx2.HTTPError, HfHubHTTPError, OSError, ValueError, RuntimeError) as error:
            raise RefusedUpload(self._reason(error, repo_id)) from None

    def _upload(
        self,
        files: Sequence[OwnFile],
        repo_id: str,
        kind: RepoKind,
        private: bool,
        progress: UploadProgress,
    ) -> str:
        api = HfApi(endpoint=self.endpoint, token=self.token, library_name="mlxsite")
        # None leaves it to the Hub: an organisation may have a default of its own.
        page = api.create_repo(repo_id, repo_type=kind, private=private or None, exist_ok=True)
        if private and not api.repo_info(repo_id, repo_type=kind).private:
            raise RefusedUpload(f"{repo_id} exists and is public: choose another name")
        progress.planned(files=len(files), size=sum(file.size_bytes for file in files))
        operations = [_addition(file, progress) for file in files]
        api.create_commit(repo_id, operations, commit_message=MESSAGE, repo_type=kind)
        return str(page)

    def _require_no_secret(self, files: Sequence[OwnFile]) -> None:
        secrets = {path.resolve() for path in self.secrets}
        for file in files:
            if file.path in secrets:
                raise UnsafeSource(
                    f"{file.name} holds a secret of this machine: choose another folder"
                )

    def _reason(self, error: Exception, repo_id: str) -> str:
        """Why the Hub did not take it, on one line and without the token."""
        cause: BaseException = error
        # An upload within a thread is wrapped; what is inside says more.
        while isinstance(cause, RuntimeError) and cause.__cause__ is not None:
            cause = cause.__cause__
        text = " ".join(_words(cause, repo_id).split())
        return text.replace(self.token, "…") if self.token else text


def _addition(file: OwnFile, progress: UploadProgress) -> CommitOperationAdd:
    content: Any = UploadFile(file.path, progress.sent)
    addition = CommitOperationAdd(file.name, content)  # reads all of it, for its hash
    content.begin_counting()
    return addition


def quiet_library() -> None:
    """Keep bars and hints of `huggingface_hub` off our log: files are ours, to be counted."""
    disable_progress_bars()
    logging.getLogger("huggingface_hub._commit_api").setLevel(logging.ERROR)


def _words(error: BaseException, repo_id: str) -> str:
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, so nothing is sent"
    if isinstance(error, HfHubHTTPError):
        return _of_status(error, repo_id)
    if isinstance(error, httpx2.HTTPError):
        return f"the Hub cannot be reached: {str(error) or type(error).__name__}; try again"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename} cannot be read ({error.strerror})"
    return f"the upload failed: {error}"


def _of_status(error: HfHubHTTPError, repo_id: str) -> str:
    status = error.response.status_code
    said = f": {error.server_message}" if error.server_message else ""
    if status == httpx2.codes.UNAUTHORIZED:
        return f"the Hub does not know this token (401{said}): save another one"
    if status == httpx2.codes.FORBIDDEN:
        return f"this token may not write {repo_id} (403{said}): use a write token of its owner"
    if status == httpx2.codes.CONFLICT:
        return f"{repo_id} was changed meanwhile (409{said}): try again"
    if status == httpx2.codes.TOO_MANY_REQUESTS or status >= httpx2.codes.INTERNAL_SERVER_ERROR:
        return f"the Hub answered {status} for {repo_id}{said}; try again later"
    return f"the Hub answered {status} for {repo_id}{said}"
