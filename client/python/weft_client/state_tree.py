"""The tree of the state hash, of blocks and of ids: a node hashes its children by nibble. [SH1] [SH3] [RC3]"""

from __future__ import annotations

import hashlib


def tree_root(leaves: dict[bytes, bytes]) -> bytes:
    """Root over leaves by their paths; of none, that of a node without children."""
    return node_hash(sorted(leaves.items()), 0)


def node_hash(leaves: list[tuple[bytes, bytes]], depth: int) -> bytes:
    """Hash of the node below which all these leaves stand, in the order of their paths."""
    inner = leaf = 0
    entries = []
    for nibble, group in by_nibble(leaves, depth):
        if len(group) == 1:
            leaf |= 1 << nibble
            entries.append(b"".join(group[0]))
        else:
            inner |= 1 << nibble
            entries.append(node_hash(group, depth + 1))
    maps = inner.to_bytes(2, "big") + leaf.to_bytes(2, "big")
    return hashlib.sha256(b"WST1" + maps + b"".join(entries)).digest()


def by_nibble(leaves: list[tuple[bytes, bytes]], depth: int) -> list[tuple[int, list[tuple[bytes, bytes]]]]:
    groups: dict[int, list[tuple[bytes, bytes]]] = {}
    for leaf in leaves:
        groups.setdefault(nibble_at(leaf[0], depth), []).append(leaf)
    return sorted(groups.items())


def nibble_at(path: bytes, depth: int) -> int:
    """High nibbles come first."""
    byte = path[depth // 2]
    return byte >> 4 if depth % 2 == 0 else byte & 15
