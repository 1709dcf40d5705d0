"""Who speaks for a room: its roots, and the keys that they have certified. Whose a key is. [MA1] [MA2] [MA3] [MA6] [SU1]"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import nodes as n
from .crypto import verify
from .document import is_system_key, unpacked
from .faults import DecodeError
from .graph import Graph, Placed, before
from .nodes import Node
from .reign import Accession, Reign, accession_to, read_successions, reign_among

SIGNER, SIGNER_REVOKED = "\0signer/", "\0signer-revoked/"
DELEGATE, DELEGATE_REVOKED = "\0delegate/", "\0delegate-revoked/"
TAGS = {
    SIGNER: b"weft-signer-v1",
    SIGNER_REVOKED: b"weft-signer-revoked-v1",
    DELEGATE: b"weft-delegate-v1",
    DELEGATE_REVOKED: b"weft-delegate-revoked-v1",
}
ROOTS = "\0roots"
FOUNDER = b"weft-founder-v1"
ALL_ROOMS = bytes(32)
SIGNED = 112
SIZE = SIGNED + 64


@dataclass(frozen=True)
class Mandate:
    """What one key says of another, signed."""

    giver: bytes
    key: bytes
    scope: bytes
    until: int
    serial: int

    def is_for(self, room: bytes | None) -> bool:
        return self.scope in (ALL_ROOMS, room)


def read_mandate(tag: bytes, value: Any) -> Mandate:
    """A mandate whose signature holds for a matter."""
    if not isinstance(value, bytes) or len(value) != SIZE:
        raise DecodeError("no mandate")
    giver, key, scope = value[:32], value[32:64], value[64:96]
    if not verify(giver, tag + b"\0" + value[:SIGNED], value[SIGNED:]):
        raise DecodeError("a mandate is not signed by who gives it")
    return Mandate(giver, key, scope, int.from_bytes(value[96:104], "big"), int.from_bytes(value[104:SIGNED], "big"))


def speaks_in(key: bytes, certificate: bytes | None, room: bytes, first: Reign) -> bool:
    """Whether a key speaks for a room that began so, by what it shows unless it is a root of the genesis. [MA5]"""
    mandate, line = opened(certificate)
    if speaks_under(key, mandate, room, first.roots):
        return True
    reign = first
    for succession in line:
        accession = accession_to(reign, succession, room)
        if not accession:
            return False
        reign = accession.reign
    return speaks_under(key, mandate, room, reign.roots)


def opened(certificate: bytes | None) -> tuple[bytes | None, list[bytes]]:
    """Mandate and successions of a certificate."""
    if certificate is None or len(certificate) == SIZE:
        return certificate, []
    if certificate[0] > 1:
        raise DecodeError("no certificate")
    start = 1 + certificate[0] * SIZE
    return certificate[1:start] or None, read_successions(certificate[start:])


def speaks_under(key: bytes, certificate: bytes | None, room: bytes, roots: frozenset[str]) -> bool:
    if certificate is None:
        return key.hex() in roots
    mandate = read_mandate(TAGS[SIGNER], certificate)
    return mandate.key == key and mandate.giver.hex() in roots and mandate.is_for(room)


class Authority:
    """Of one room, by the nodes that are held."""

    def __init__(self, graph: Graph, room: bytes, first: Reign) -> None:
        self._graph = graph
        self._room = room
        self.first = first
        self._accessions: list[tuple[Accession, Placed]] = []
        self._signers: dict[bytes, Mandate] = {}
        """By the node that introduces the key."""
        self._revoked: list[tuple[bytes, Placed]] = []

    def vouches(self, key: bytes, certificate: bytes | None) -> bool:
        """Whether the word of a key about this room counts, by the certificate that it shows unless it is a root. [MA5]"""
        if any(key == revoked for revoked, _ in self._revoked):
            return False
        reign = reign_among(self.first, [accession for accession, _ in self._accessions])
        mandate, line = opened(certificate)
        if speaks_under(key, mandate, self._room, reign.roots):
            return True
        is_on = line[: len(reign.line)] == list(reign.line)
        return is_on and bool(line) and speaks_in(key, certificate, self._room, self.first)

    def check(self, node: Node) -> None:
        """Refuses keys of the system that the author of a node may not write there. [AD5]"""
        about = [(op, prefix) for op in node.ops for prefix in TAGS if op.key.startswith(prefix)]
        if not about and not any(op.key == ROOTS for op in node.ops):
            if any(is_system_key(op.key) for op in node.ops) and not self.speaks(node):
                raise DecodeError("a key of the system that nobody who speaks for the room has written")
            return
        accession = self._accession(node)
        roots = accession.reign.roots if accession else self._reign(node).roots
        introduced = len(node.ops) - (1 if accession else 0)
        for op, prefix in about:
            mandate = read_mandate(TAGS[prefix], unpacked(op.value) if op.kind == n.SET else None)
            is_root = mandate.giver.hex() in roots
            if mandate.key.hex() != op.key.removeprefix(prefix) or not mandate.is_for(self._room):
                raise DecodeError("a mandate is for another key or room")
            if prefix in (SIGNER, SIGNER_REVOKED) and not is_root:
                raise DecodeError("a mandate is not given by a root of the room")
            if prefix in (SIGNER, DELEGATE):
                if node.prev or introduced != 1 or mandate.key != node.author or (accession and prefix != SIGNER):
                    raise DecodeError("a key introduces itself by its first node, which holds nothing else")
                return
        if any(is_system_key(op.key) for op in node.ops) and not self.speaks(node):
            raise DecodeError("a key of the system that nobody who speaks for the room has written")

    def speaks(self, node: Node) -> bool:
        """Whether a node whose ancestors are held is the authority's, by what it stands on."""
        roots = self._reign(node).roots
        if node.author.hex() in roots:
            return True
        if not node.prev:
            return False
        below = self._graph.nodes[node.prev]
        line = below.line
        while line.prev:
            line = line.prev.line
        signer = self._signers.get(line.nodes[0].node.id)
        if not signer or signer.giver.hex() not in roots or (signer.until and below.lamport + 1 > signer.until):
            return False
        past = [self._graph.nodes[name] for name in before(node)]
        taken_back = (by for key, by in self._revoked if key == node.author)
        return not any(one is by or one.knows(by) for by in taken_back for one in past)

    def _reign(self, node: Node) -> Reign:
        """Who the roots are where a node stands. [MA6]"""
        if not self._accessions:
            return self.first
        if self._graph.lacks(node):
            raise DecodeError("a node without its ancestors")
        past = [self._graph.nodes[name] for name in before(node)]
        known = [made for made, by in self._accessions if any(one is by or one.knows(by) for one in past)]
        return reign_among(self.first, known)

    def _accession(self, node: Node) -> Accession | None:
        """What a node makes of the roots; refused where it may not."""
        if not any(op.key == ROOTS for op in node.ops):
            return None
        op = node.ops[0]
        value = unpacked(op.value) if op.key == ROOTS and op.kind == n.SET else None
        accession = accession_to(self._reign(node), value, self._room)
        if not accession:
            raise DecodeError("a change of roots that most of them have not signed")
        if len(node.ops) == 1:
            if not self.speaks(node):
                raise DecodeError("a change of roots by nobody who speaks for the room")
        elif len(node.ops) > 2 or not node.ops[1].key.startswith(SIGNER):
            raise DecodeError("a change of roots beside something else")
        return accession

    def take(self, placed: Placed) -> None:
        """Notes what a node of this room says of keys."""
        for op in placed.node.ops:
            if op.kind != n.SET:
                continue
            if op.key == ROOTS and (accession := self._accession(placed.node)):
                self._accessions.append((accession, placed))
            elif op.key.startswith(SIGNER):
                self._signers[placed.node.id] = read_mandate(TAGS[SIGNER], unpacked(op.value))
            elif op.key.startswith(SIGNER_REVOKED):
                self._revoked.append((bytes.fromhex(op.key.removeprefix(SIGNER_REVOKED)), placed))

