"""Who the roots of a room are, and what makes others so. [MA6]"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .crypto import verify
from .faults import DecodeError
from .wire import Reader

TAG = b"weft-roots-v1\0"
NONE = bytes(32)
MOST = 8
MOST_ADDRESS = 255


@dataclass(frozen=True)
class Reign:
    roots: frozenset[str]
    recovery: bytes = NONE
    """Hash of the key that takes over when the roots are lost."""
    name: bytes = b""
    line: tuple[bytes, ...] = ()
    """Successions that have led to it."""


@dataclass(frozen=True)
class Accession:
    """A succession that counts, behind the reign of this name."""

    before: bytes
    reign: Reign
    is_recovery: bool
    serial: int


def _count(reader: Reader) -> int:
    count = reader.take(1)[0]
    if not 0 < count <= MOST:
        raise DecodeError("a succession names too many keys, or none")
    return count


@dataclass(frozen=True)
class _Succession:
    scope: bytes
    serial: int
    recovery: bytes
    roots: list[bytes]
    signed: bytes
    signatures: list[tuple[bytes, bytes]]


def _read(reader: Reader) -> _Succession:
    start = reader.at
    scope, serial, recovery = reader.take(32), int.from_bytes(reader.take(8), "big"), reader.take(32)
    roots = [reader.take(32) for _ in range(_count(reader))]
    if len(reader.take(reader.varint())) > MOST_ADDRESS:
        raise DecodeError("an address is too long")
    signed = reader.data[start : reader.at]
    signatures = [(reader.take(32), reader.take(64)) for _ in range(_count(reader))]
    for names in (roots, [key for key, _ in signatures]):
        if names != sorted(set(names)):
            raise DecodeError("keys of a succession are not in order")
    return _Succession(scope, serial, recovery, roots, signed, signatures)


def read_successions(data: bytes) -> list[bytes]:
    """Several, one after the other, behind their number."""
    reader = Reader(data)
    found = []
    for _ in range(_count(reader)):
        start = reader.at
        _read(reader)
        found.append(data[start : reader.at])
    if reader.at != len(data):
        raise DecodeError("bytes behind successions")
    return found


def accession_to(before: Reign, value: Any, room: bytes) -> Accession | None:
    """What a succession makes of a reign, if all its signatures hold and those who signed it may."""
    if not isinstance(value, bytes) or value in before.line:
        return None
    reader = Reader(value)
    said = _read(reader)
    if reader.at != len(value) or said.scope not in (NONE, room):
        return None
    if not all(verify(key, TAG + said.signed, signature) for key, signature in said.signatures):
        return None
    signers = [key for key, _ in said.signatures]
    is_recovery = before.recovery != NONE and any(hashlib.sha256(key).digest() == before.recovery for key in signers)
    if not is_recovery and 2 * sum(key.hex() in before.roots for key in signers) <= len(before.roots):
        return None
    may_name = is_recovery or before.recovery == NONE
    reign = Reign(
        frozenset(key.hex() for key in said.roots),
        said.recovery if may_name else before.recovery,
        hashlib.sha256(before.name + value).digest(),
        (*before.line, value),
    )
    return Accession(before.name, reign, is_recovery, said.serial)


def reign_among(first: Reign, accessions: Sequence[Accession]) -> Reign:
    """Of those that follow one reign the greatest counts, and what stands on others does not."""
    reign = first
    while following := [each for each in accessions if each.before == reign.name]:
        reign = max(following, key=lambda each: (each.is_recovery, each.serial, each.reign.name)).reign
    return reign
