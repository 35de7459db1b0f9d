"""Names that become paths: of repos, revisions and files. Nothing else reaches the disk."""

import re

from hub.downloads.errors import InvalidName

MAIN = "main"  # the branch that a repo id alone stands for
# An owner and a name, as the Hub takes them: no "--", which parts them in the cache's folders.
REPO_ID = re.compile(r"(?!.*(?:--|\.\.))\w(?:[\w.-]*\w)?/\w(?:[\w.-]*\w)?", re.ASCII)
LONGEST_REPO_ID = 96  # characters, the Hub's limit
REVISION = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*", re.ASCII)
LONGEST_REVISION = 200  # characters


def check_repo_id(repo_id: str) -> str:
    """Return `owner/name`; raises InvalidName for any other text."""
    if len(repo_id) > LONGEST_REPO_ID or not REPO_ID.fullmatch(repo_id):
        raise InvalidName(f"{repo_id[:100]!r} is not the name of a repo: write 'owner/name'")
    return repo_id


def check_revision(revision: str) -> str:
    """Return a branch, tag or commit that can be a path below `refs`; raises InvalidName."""
    fits = len(revision) <= LONGEST_REVISION and REVISION.fullmatch(revision)
    if not fits or not is_safe_path(revision):
        raise InvalidName(f"{revision[:100]!r} is not the name of a branch, a tag or a commit")
    return revision


def is_safe_path(path: str) -> bool:
    """Whether a file name from outside stays below the folder that it is joined to."""
    parts = path.split("/")
    return "\0" not in path and "\\" not in path and not {"", ".", ".."} & set(parts)
