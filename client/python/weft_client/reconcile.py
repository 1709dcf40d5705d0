"""The side of a reconciliation that asks: finds what each side lacks, at a cost that follows the difference. [RC3] [RC4] [RC5] [RC6]

Of the ways that the rules allow it takes heads, symbols, symbols under a key, and at last a walk down the tree of ids.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Iterable
from typing import Any

from .faults import DecodeError
from .graph import Graph
from .state_tree import by_nibble, node_hash

FIRST_SYMBOLS, MOST_SYMBOLS, GROWTH = 32, 1 << 16, 4
MOST_ASKS, FIRST_KEYED = 3, 128
MOST_PATHS, MOST_WALKED = 256, 1 << 16
FEW_HEADS = 3
SYMBOL_BYTES = 14
WORD = 0xFFFFFFFF
ID_LEAF = hashlib.sha256(b"weft-id-tree-v1").digest()

Short = tuple[int, int]
"""Two words: the first eight bytes of an id, or what takes their place under a key."""


def check_word(words: Iterable[int]) -> int:
    c = 0x2545F491
    for word in words:
        c = (c ^ word) * 0x85EBCA6B & WORD
        c ^= c >> 13
    c = c * 0xC2B2AE35 & WORD
    return c ^ (c >> 16)


def cells_of(short: Short, length: int) -> list[int]:
    """In which of so many symbols an id is."""
    s0, s1 = short
    chosen = []
    cell = 0
    while cell < length:
        chosen.append(cell)
        random = s0 * 0x9E3779BB & WORD
        s1 ^= s0
        s0 = (rotated(s0, 26) ^ s1 ^ s1 << 9) & WORD
        s1 = rotated(s1, 13)
        cell += 1 + math.floor((cell + 1.5) * (65536 / math.sqrt(random + 1) - 1))
    return chosen


def rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & WORD


def keyed(name: bytes, key: bytes) -> Short:
    """HalfSipHash-2-4 with 64 bits over an id as eight words."""
    k0, k1 = struct.unpack(">2I", key)
    v0, v1, v2, v3 = k0, k1 ^ 0xEE, k0 ^ 0x6C796765, k1 ^ 0x74656462

    def mix(rounds: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(rounds):
            v0 = v0 + v1 & WORD
            v1 = rotated(v1, 5) ^ v0
            v0 = rotated(v0, 16)
            v2 = v2 + v3 & WORD
            v3 = rotated(v3, 8) ^ v2
            v0 = v0 + v3 & WORD
            v3 = rotated(v3, 7) ^ v0
            v2 = v2 + v1 & WORD
            v1 = rotated(v1, 13) ^ v2
            v2 = rotated(v2, 16)

    for word in (*struct.unpack(">8I", name), 32 << 24):
        v3 ^= word
        mix(2)
        v0 ^= word
    v2 ^= 0xEE
    mix(4)
    first = v1 ^ v3
    v1 ^= 0xDD
    mix(4)
    return first, v1 ^ v3


class Symbols:
    """Cells of a set of short ids: count, sum of the ids, sum of their check words."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.sums: list[list[int]] = []

    def __len__(self) -> int:
        return len(self.counts)

    def read(self, data: bytes) -> None:
        """Adds what was sent."""
        if len(data) % SYMBOL_BYTES:
            raise DecodeError("symbols are cut off")
        for count, *sums in struct.iter_unpack(">H3I", data):
            self.counts.append(count)
            self.sums.append(list(sums))

    def toggle(self, short: Short, by: int) -> list[int]:
        """Adds an id to its cells, or takes it out; answers which cells these are."""
        check = check_word(short)
        cells = cells_of(short, len(self))
        for cell in cells:
            self.counts[cell] = self.counts[cell] + by & 0xFFFF
            sums = self.sums[cell]
            sums[0] ^= short[0]
            sums[1] ^= short[1]
            sums[2] ^= check
        return cells

    def copy(self) -> Symbols:
        other = Symbols()
        other.counts, other.sums = list(self.counts), [list(sums) for sums in self.sums]
        return other

    def peel(self) -> tuple[set[Short], set[Short]] | None:
        """Ids of the other side and of this one, of a difference; None when it does not decode."""
        theirs: set[Short] = set()
        ours: set[Short] = set()
        open_cells = list(range(len(self)))
        steps = 64 * len(self)
        while open_cells and steps:
            steps -= 1
            cell = open_cells.pop()
            count, (first, second, check) = self.counts[cell], self.sums[cell]
            if count not in (1, 0xFFFF) or check != check_word((first, second)):
                continue
            side = theirs if count == 1 else ours
            side.add((first, second))
            if len(theirs) + len(ours) > len(self):
                return None
            open_cells += self.toggle((first, second), -1 if count == 1 else 1)
        if any(self.counts) or any(any(sums) for sums in self.sums):
            return None
        return theirs, ours


class Initiator:
    """Steps of one attempt: `open`, then `receive` for each answer until it gives nothing to say, or `is_over`."""

    def __init__(self, graph: Graph) -> None:
        self._ids = [placed.node.id for placed in graph.order]
        self._graph = graph
        self._received = Symbols()
        self._key = b""
        self._asks = 0
        self._awaited = FIRST_SYMBOLS
        self._their_size = 0
        self._receivers: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {}
        self._paths: list[str] = []
        self._they_have: set[bytes] = set()
        self._we_have: set[bytes] = set()
        self._walked = 0
        self.send: set[bytes] | None = None
        """What the other side lacks; None until it is known."""

    def open(self, keyed: bool = False) -> dict[str, Any]:
        self._receivers = {"same": self._end, "ahead": self._end, "differ": self._differ}
        message: dict[str, Any] = {"step": "open", "root": self._graph.root(), "size": len(self._ids)}
        if len(self._graph.heads) <= FEW_HEADS:
            message["heads"] = b"".join(sorted(self._graph.heads))
        return {**message, "keyed": True} if keyed else message

    def receive(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The next step; None when the other side has ended it."""
        receiver = self._receivers.get(message.get("step", ""))
        if receiver is None:
            raise DecodeError(f"{message.get('step')} does not follow here")
        self._receivers = {}
        try:
            return receiver(message)
        except (KeyError, TypeError, ValueError, AttributeError, struct.error) as error:
            raise DecodeError("not a message of a reconciliation") from error

    def _end(self, _message: dict[str, Any]) -> None:
        self.send = set()

    def _differ(self, message: dict[str, Any]) -> dict[str, Any]:
        self._their_size = message["size"]
        heads = message.get("heads")
        if heads is not None:
            names = {heads[at : at + 32] for at in range(0, len(heads), 32)}
            if all(name in self._graph for name in names):
                self.send = {placed.node.id for placed in self._graph.beyond(names)}
                return {"step": "ahead", "sends": len(self.send)}
        return self._symbols(message)

    def _symbols(self, message: dict[str, Any]) -> dict[str, Any]:
        if len(message["symbols"]) != self._awaited * SYMBOL_BYTES:
            raise DecodeError("not the symbols that were asked for")
        key = message.get("key", b"")
        if key and not self._key:
            self._key = key
            self._received = Symbols()
        self._received.read(message["symbols"])
        own = {self._short(name): name for name in self._ids}
        difference = self._received.copy()
        for short in own:
            difference.toggle(short, -1)
        sides = difference.peel()
        if sides is None:
            return self._go_on()
        theirs, ours = sides
        surplus = len(theirs) - len(ours)
        if surplus != self._their_size - len(self._ids) or not ours <= own.keys() or theirs & own.keys():
            self._asks = MOST_ASKS  # prepared: more of them would not help
            return self._go_on()
        self.send = {own[short] for short in ours}
        wanted = b"".join(struct.pack(">2I", *short) for short in sorted(theirs))
        return {"step": "want", "ids": wanted, "sends": len(self.send)}

    def _short(self, name: bytes) -> Short:
        if self._key:
            return keyed(name, self._key)
        first, second = struct.unpack(">2I", name[:8])
        return first, second

    def _go_on(self) -> dict[str, Any]:
        have = len(self._received)
        wanted = min(max(have * GROWTH, FIRST_KEYED), MOST_SYMBOLS)
        if self._asks < MOST_ASKS and wanted > have:
            self._asks += 1
            return self._ask(have, wanted, bool(self._key))
        if self._key:
            self._paths = [""]
            return self._walk()
        self._asks = 1
        return self._ask(0, FIRST_KEYED, True)

    def _ask(self, have: int, wanted: int, is_keyed: bool) -> dict[str, Any]:
        self._awaited = wanted - have
        self._receivers = {"symbols": self._symbols}
        return {"step": "ask", "from": have, "count": self._awaited, "keyed": is_keyed}

    # The walk.

    def _walk(self) -> dict[str, Any]:
        if not self._paths:
            self.send = self._we_have
            ids = b"".join(sorted(self._they_have))
            return {"step": "want-whole", "ids": ids, "sends": len(self.send)}
        paths, self._paths = self._paths[:MOST_PATHS], self._paths[MOST_PATHS:]
        self._walked += len(paths)
        if self._walked > MOST_WALKED:
            raise DecodeError("a walk that does not end")
        self._receivers = {"nodes": self._nodes}
        return {"step": "walk", "paths": paths}

    def _nodes(self, message: dict[str, Any]) -> dict[str, Any]:
        for element in message["elements"]:
            path, children = element["path"], element["children"]
            ours = self._below(path)
            if not children:
                theirs = {bytes.fromhex(name) for name in element["keys"]}
                self._they_have |= theirs - {name for name, _ in ours}
                self._we_have |= {name for name, _ in ours} - theirs
                continue
            own = {format(nibble, "x"): group for nibble, group in by_nibble(ours, len(path))}
            for nibble in own.keys() | children.keys():
                group = own.get(nibble, [])
                if nibble not in children:
                    self._we_have |= {name for name, _ in group}
                elif subtree_hash(group, len(path) + 1) != bytes.fromhex(children[nibble]):
                    self._paths.append(path + nibble)
        return self._walk()

    def _below(self, path: str) -> list[tuple[bytes, bytes]]:
        return sorted((name, ID_LEAF) for name in self._ids if name.hex().startswith(path))


def subtree_hash(leaves: list[tuple[bytes, bytes]], depth: int) -> bytes:
    if len(leaves) == 1:
        return leaves[0][0]
    return node_hash(leaves, depth) if leaves else b""
