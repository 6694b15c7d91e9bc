"""The errors that reach a user: each is one sentence that names the file, record, field or option."""

__all__ = ["CorpusError", "RecordError", "ReplayError", "RevisionError", "StoreError", "StoreLockedError"]


class ReplayError(Exception):
    """What the command line turns into one sentence on standard error and exit code 2 ("could not tell")."""


class RecordError(ReplayError):
    """A record that does not have the form it claims; `field` is the path of the offending field, such as `ast[3]`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class StoreError(ReplayError):
    """A database that cannot be opened, read or written."""


class StoreLockedError(StoreError):
    """Another process held the database for longer than the busy timeout; the same call may succeed later."""


class RevisionError(ReplayError):
    """A git revision that does not exist, cannot be checked out, or does not import."""


class CorpusError(ReplayError):
    """There is nothing to replay: no captures, no match, or a file that cannot be read."""
