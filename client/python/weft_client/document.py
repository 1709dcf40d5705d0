"""What a room resolves to: a fold of its nodes, in any order that has ancestors first. [MP1] [MP2] [MP4] [SQ3] [TP3]"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgpack

from . import nodes as n
from .graph import Graph, Key, Placed
from .nodes import Op, Ref
from .proofs import FORM_BLOB, FORM_BLOCKS, FORM_BYTES, FORM_MARKED_BLOCKS, LIST, REGISTER, TEXT, leaf_of, path_of
from .sequences import Element, Items, Mark, MarkEnd, Sequence, Text
from .state_tree import tree_root


@dataclass(frozen=True)
class BlobRef:
    """A blob that a register names by the SHA-256 of its bytes."""

    hash: str


@dataclass(frozen=True)
class Written:
    """The write that a register shows."""

    key: tuple[Key, int]
    op: Op

    @property
    def is_deleted(self) -> bool:
        return self.op.kind == n.DELETE


def unpacked(value: bytes) -> Any:
    """A value as Python has it."""
    return msgpack.unpackb(value, timestamp=3, strict_map_key=False)


def is_system_key(key: str) -> bool:
    """Keys that only a room's authorities may write. [AD5]"""
    return key.startswith("\0") or key.startswith("_topology/")


class Document:
    """Values of the nodes of a graph."""

    def __init__(self, graph: Graph, room: bytes) -> None:
        self._graph = graph
        self._room = room
        """Id of the genesis: the system's keys count only in nodes of this room."""
        self._forks = 0
        self.registers: dict[str, Written] = {}
        self.texts: dict[str, Text] = {}
        self.lists: dict[str, Items] = {}
        self._leaves: dict[str, bytes] = {}

    def apply(self, placed: Placed) -> None:
        """Takes in a node whose ancestors were taken in."""
        offset = 0
        for index, op in enumerate(placed.node.ops):
            if op.kind in (n.SET, n.DELETE, n.SET_BLOB):
                self._write(placed, index, op)
            elif op.kind in n.INSERTS_TEXT:
                units = op.text.encode("utf-16-be")
                contents = [units[at : at + 2] for at in range(0, len(units), 2)]
                self._insert(self._text(op.key), placed, offset, op, contents)
            elif op.kind in n.INSERTS_ITEMS:
                self._insert(self._list(op.key), placed, offset, op, list(op.values))
            elif op.kind == n.TEXT_DELETE:
                self._delete(self._text(op.key), placed, offset, op)
            elif op.kind == n.LIST_DELETE:
                self._delete(self._list(op.key), placed, offset, op)
            elif op.kind == n.MARK:
                self._mark(placed, index, offset, op)
            else:
                self._move(self._list(op.key), placed, offset, op)
            offset += op.elements

    def _write(self, placed: Placed, index: int, op: Op) -> None:
        node = placed.node
        if is_system_key(op.key) and node.room not in (self._room, n.NO_ID):
            return
        written = Written((placed.key, index), op)
        held = self.registers.get(op.key)
        if held is None or held.key < written.key:
            self.registers[op.key] = written
            self._leaves.pop(op.key, None)

    def _text(self, key: str) -> Text:
        return self.texts.setdefault(key, Text())

    def _list(self, key: str) -> Items:
        return self.lists.setdefault(key, Items())

    def _insert(self, sequence: Sequence, placed: Placed, offset: int, op: Op, contents: list[bytes]) -> bool:
        parent: Element | None = None
        if op.anchor is not None:
            found = self._resolve(op.anchor, placed, offset)
            parent = sequence.find(*found) if found else None
            if parent is None:
                return False
        sequence.insert(parent, op.kind not in n.LEFT_KINDS, placed, offset, contents)
        return True

    def _delete(self, sequence: Text | Items, placed: Placed, offset: int, op: Op) -> None:
        found = self._resolve(op.target, placed, offset)
        if found is None:
            return
        holder, at = found
        last = holder.counter + at
        if last - op.count + 1 < 0:
            return
        for counter in range(last, last - op.count, -1):
            inserted = holder.holder(counter)
            element = sequence.find(inserted, counter - inserted.counter) if inserted else None
            if inserted:
                holder = inserted
            if element:
                sequence.delete(element)

    def _move(self, items: Items, placed: Placed, offset: int, op: Op) -> None:
        found = self._resolve(op.target, placed, offset)
        item = items.find(*found) if found else None
        if item is None or not items.is_item(item):
            return
        if self._insert(items, placed, offset, op, [b""]):
            items.move(item, items.elements[placed.node.id, offset])

    def _mark(self, placed: Placed, index: int, offset: int, op: Op) -> None:
        sides = ((op.anchor, op.count & n.BEHIND_FROM), (op.target, op.count & n.BEHIND_TO))
        ends = []
        for ref, behind in sides:
            found = self._resolve(ref, placed, offset)
            held = self.texts.get(op.key)
            element = held.find(*found) if held and found else None
            if ref is not None and element is None:
                return
            ends.append(MarkEnd(element, bool(behind)))
        self._text(op.key).mark(Mark(placed, index, ends[0], ends[1], op.text, op.value))

    def _resolve(self, ref: Ref | None, placed: Placed, offset: int) -> tuple[Placed, int] | None:
        """Node and offset of an element that an op names; None where its author cannot have known it. [SQ3]"""
        if isinstance(ref, int):
            holder = placed.holder(ref) if ref < placed.counter + offset else None
            return (holder, ref - holder.counter) if holder else None
        if ref is None:
            return None
        name, at = ref
        other = self._graph.nodes.get(name)
        if other is None or not placed.knows(other) or at >= other.node.elements:
            return None
        return other, at

    def value_of(self, key: str) -> Op | None:
        """The write that a register shows; None where nothing is."""
        written = self.registers.get(key)
        return None if written is None or written.is_deleted else written.op

    def state_hash(self) -> str:
        """Hash of everything that the room resolves to. [SH1]"""
        leaves = {}
        if self._forks != self._graph.forks:
            self._forks = self._graph.forks
            for sequence in [*self.texts.values(), *self.lists.values()]:
                sequence.changed()  # a fork gives elements another branch
        for key, written in self.registers.items():
            if not written.is_deleted:
                leaves[path_of(REGISTER, key)] = self._register_leaf(key, written.op)
        texts = ((TEXT, key, text.hash()) for key, text in self.texts.items())
        lists = ((LIST, key, items.hash()) for key, items in self.lists.items())
        for kind, key, root in chain(texts, lists):
            if root is not None:
                form = FORM_MARKED_BLOCKS if len(root) > 32 else FORM_BLOCKS
                leaves[path_of(kind, key)] = leaf_of(kind, key, form, root)
        return tree_root(leaves).hex()

    def _register_leaf(self, key: str, op: Op) -> bytes:
        leaf = self._leaves.get(key)
        if leaf is None:
            form = FORM_BLOB if op.kind == n.SET_BLOB else FORM_BYTES
            leaf = self._leaves[key] = leaf_of(REGISTER, key, form, op.value)
        return leaf
