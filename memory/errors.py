"""What can be wrong with a request to the memory. The texts name no folder of this machine.

VaultError
├── NoVault              there is none yet
├── ArticleNotFound      no article, or page of reference, of that name
├── RevisionNotFound     no such commit, or it does not touch the article
├── NotListed            a folder of the vault cannot be looked into
├── OutsideVault         a path leads out of where vaults may be
├── ForeignVault         the folder belongs to another user
├── InvalidStem          no article can be named so
├── ChangedMeanwhile     somebody edited the file since it was read
├── NotWritten           the disk refused
└── GitFailed
    └── GitBusy          another git holds the lock
"""


class VaultError(Exception):
    """The root of them; its text is for the caller."""


class NoVault(VaultError):
    def __init__(self) -> None:
        super().__init__("no memory vault yet")


class ArticleNotFound(VaultError):
    def __init__(self) -> None:
        super().__init__("article not found")


class RevisionNotFound(VaultError):
    def __init__(self) -> None:
        super().__init__("commit not found or no diff for this article at that revision")


class NotListed(VaultError):
    """What the folder holds is not known; it is not taken for an empty one."""


class OutsideVault(VaultError):
    def __init__(self) -> None:
        super().__init__("path must be under the memory vault root or a temp directory")


class ForeignVault(VaultError):
    def __init__(self) -> None:
        super().__init__("the folder of the vault, or its repository, belongs to another user")


class InvalidStem(VaultError):
    """Only for names that would be written; one that is asked for is simply not found."""


class ChangedMeanwhile(VaultError):
    """What would be written was made from a text that is no longer in the file."""


class NotWritten(VaultError):
    """What stood in the file still does."""


class GitFailed(VaultError):
    """git refused, was too slow, or is not there. Files are as they were."""


class GitBusy(GitFailed):
    """Another process holds git's lock; the same can be tried again later."""
