"""What can go wrong, each with a name of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class WeftError(Exception):
    """Anything that this package raises by itself."""


class DecodeError(WeftError):
    """Bytes or a frame that cannot be read, or are not in their one form. [PK3]"""


class GenesisMismatch(WeftError):
    """The server has another room under this name than the folder."""


class JoinRefused(WeftError):
    """The server does not let this peer in; `code` is the reason for programs, `close` how the connection ended."""

    def __init__(self, code: str, message: str, close: int = 1008) -> None:
        super().__init__(message)
        self.code = code
        self.close = close


class RoomClosed(WeftError):
    """The room was closed here, or left for good; the cause says why."""


@dataclass(frozen=True)
class Refused:
    """Edit that the server has refused for good, and that is given up here."""

    node: str
    reason: str
    keys: tuple[str, ...]


class RefusedEdits(WeftError):
    """Some of what was pushed was refused; the rest is durable, or is sent again."""

    def __init__(self, edits: Sequence[Refused]) -> None:
        super().__init__("; ".join(f"{', '.join(edit.keys)}: {edit.reason}" for edit in edits))
        self.edits = edits
