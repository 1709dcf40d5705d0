"""What a reader needs to check a proof under a state hash. [SH1] [SH2]"""

from __future__ import annotations

import hashlib

from .state_tree import nibble_at
from .wire import pack_text

REGISTER, TEXT, LIST = 0, 1, 2
FORM_BYTES, FORM_BLOB, FORM_BLOCKS, FORM_MARKED_BLOCKS = 0, 1, 2, 3
MOST_DEPTH = 64


def path_of(kind: int, key: str) -> bytes:
    return hashlib.sha256(b"weft-path-v1\0" + bytes([kind]) + pack_text(key)).digest()


def leaf_of(kind: int, key: str, form: int, content: bytes) -> bytes:
    return hashlib.sha256(b"weft-leaf-v1\0" + bytes([kind]) + pack_text(key) + bytes([form]) + content).digest()


def verify_register(proof: bytes, state_hash: str, key: str, value: bytes | None, blob: bool = False) -> bool:
    """Whether the register holds exactly these MessagePack bytes, this blob's hash, or, for None, nothing."""
    proven = proven_leaf(proof, path_of(REGISTER, key), bytes.fromhex(state_hash))
    if proven is None or value is None:
        return proven == b"" and value is None
    return proven == leaf_of(REGISTER, key, FORM_BLOB if blob else FORM_BYTES, value)


def proven_leaf(proof: bytes, path: bytes, root: bytes) -> bytes | None:
    """The leaf of a path, empty where there is none; None for a proof that does not hold."""
    if proof[:1] != b"\1" or proof[1:33] != path:
        return None
    steps = []
    at = 33
    leaf = b""
    for depth in range(MOST_DEPTH):
        if at + 4 > len(proof):
            return None
        nibble = nibble_at(path, depth)
        inner, leaves = int.from_bytes(proof[at : at + 2], "big"), int.from_bytes(proof[at + 2 : at + 4], "big")
        if inner & leaves:
            return None
        goes_on = bool(inner >> nibble & 1)
        below = (1 << nibble) - 1
        gap = at + 4 + entry_bytes(inner & below, leaves & below)
        end = at + 4 + entry_bytes(inner, leaves) - (32 if goes_on else 0)
        steps.append((proof[at:gap], proof[gap:end]))
        if leaves >> nibble & 1 and proof[gap : gap + 32] == path:
            leaf = proof[gap + 32 : gap + 64]
        at = end
        if not goes_on:
            break
    else:
        return None
    if at != len(proof):
        return None
    return leaf if folded(steps) == root else None


def folded(steps: list[tuple[bytes, bytes]]) -> bytes:
    """Root of the nodes of a proof: the hash of each fills the gap of the one above."""
    below = b""
    for head, tail in reversed(steps):
        below = hashlib.sha256(b"WST1" + head + below + tail).digest()
    return below


def entry_bytes(inner: int, leaves: int) -> int:
    return inner.bit_count() * 32 + leaves.bit_count() * 64
