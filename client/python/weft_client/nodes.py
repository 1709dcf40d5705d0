"""Nodes and their ops, and the one form of their bytes. [ND1] [ND2] [ND5] [ND6] [ND7]"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from .faults import DecodeError
from .wire import Reader, pack_array, pack_id, pack_text, pack_uint

SET, DELETE = 0, 1
TEXT_RIGHT, TEXT_LEFT, TEXT_DELETE = 2, 3, 4
LIST_RIGHT, LIST_LEFT, LIST_DELETE = 5, 6, 7
MOVE_RIGHT, MOVE_LEFT = 8, 9
SET_BLOB = 10
MARK = 11

INSERTS_TEXT = (TEXT_RIGHT, TEXT_LEFT)
INSERTS_ITEMS = (LIST_RIGHT, LIST_LEFT)
DELETES = (TEXT_DELETE, LIST_DELETE)
MOVES = (MOVE_RIGHT, MOVE_LEFT)
LEFT_KINDS = (TEXT_LEFT, LIST_LEFT, MOVE_LEFT)

NO_ID = bytes(32)
BEHIND_FROM, BEHIND_TO = 1, 2
"""Sides of a mark: it begins, or ends, behind the element that it names."""
MOST_ELEMENTS = 2**31 - 1
MOST_WALL = 2**48
NODE_BYTES = 1 << 20
MOST_PARENTS = 256
MOST_OPS = 65_536
MARK_NAME_BYTES = 256
MARK_VALUE_BYTES = 16 * 1024
KEY_BYTES = 4096
MOST_ITEMS = (1 << 20) - 3
"""Of one insertion; its array also holds kind, key and anchor."""

Ref = int | tuple[bytes, int]
"""Element: a counter of the author's own chain, or the node that inserted it and the offset there. [ND7]"""


@dataclass(frozen=True)
class Op:
    kind: int
    key: str
    value: bytes = b""
    """MessagePack of a register or a mark, or the hash of a blob."""
    anchor: Ref | None = None
    """Neighbour of what is inserted or moved, or where a mark begins; None is the start."""
    target: Ref | None = None
    """Last deleted element, the moved item, or where a mark ends; None is the end."""
    count: int = 0
    """Deleted elements, or the sides of a mark."""
    text: str = ""
    """Inserted text, or the name of a mark."""
    values: tuple[bytes, ...] = ()

    @property
    def elements(self) -> int:
        """How many elements it makes."""
        if self.kind in INSERTS_TEXT:
            return utf16_length(self.text)
        if self.kind in INSERTS_ITEMS:
            return len(self.values)
        return 1 if self.kind in MOVES else 0


@dataclass
class Node:
    room: bytes
    author: bytes
    prev: bytes | None
    parents: tuple[bytes, ...]
    wall_ms: int | None
    ops: tuple[Op, ...]
    counter: int = 0
    """Elements that the chain had inserted before; rows do not say it. [PK2]"""
    withheld: int | None = None
    """Of a header: how many elements its ops insert, which are there as far as they were not erased. [HD1] [VE5]"""
    id: bytes = field(default=b"")

    def __post_init__(self) -> None:
        if not self.id:
            self.id = hashlib.sha256(canonical(self)).digest()

    @property
    def elements(self) -> int:
        return self.withheld if self.withheld is not None else sum(op.elements for op in self.ops)

    def blanked(self, keys: set[str]) -> Node:
        """What is left of it where nothing is said under these keys: its elements stay. [VE5]"""
        ops = tuple(blank(op) if op.key in keys else op for op in self.ops)
        return Node(self.room, self.author, self.prev, self.parents, None, ops, self.counter, self.elements, self.id)

    def header(self) -> Node:
        """What is left of it without its ops and clock."""
        held = self.elements
        return Node(self.room, self.author, self.prev, self.parents, None, (), self.counter, held, self.id)


def blank(op: Op) -> Op:
    if op.kind in (SET, SET_BLOB):
        return Op(DELETE, op.key)
    if op.kind in INSERTS_TEXT:
        return replace(op, text="*" * op.elements)
    if op.kind in INSERTS_ITEMS:
        return replace(op, values=(b"\xc0",) * op.elements)
    return replace(op, value=b"\xc0") if op.kind == MARK else op


def canonical_ops(node: Node) -> bytes:
    return pack_array(len(node.ops)) + b"".join(map(canonical_op, node.ops))


def read_ops(data: bytes) -> tuple[Op, ...]:
    reader = Reader(data)
    ops = tuple(read_op(reader) for _ in range(reader.pack_array(MOST_OPS)))
    reader.end()
    return ops


def utf16_length(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def canonical(node: Node) -> bytes:
    out = [node.room, node.author, node.prev or NO_ID, pack_uint(1), pack_array(len(node.parents))]
    out += map(pack_id, node.parents)
    out.append(b"\xc0" if node.wall_ms is None else pack_uint(node.wall_ms))
    out.append(canonical_ops(node))
    return b"".join(out)


def canonical_op(op: Op) -> bytes:
    fields = [pack_uint(op.kind), pack_text(op.key)]
    if op.kind == SET:
        fields.append(op.value)
    elif op.kind == SET_BLOB:
        fields.append(pack_id(op.value))
    elif op.kind in INSERTS_TEXT:
        fields += [pack_ref(op.anchor), pack_text(op.text)]
    elif op.kind in INSERTS_ITEMS:
        fields += [pack_ref(op.anchor), *op.values]
    elif op.kind in DELETES:
        fields += [pack_ref(op.target), pack_uint(op.count)]
    elif op.kind in MOVES:
        fields += [pack_ref(op.target), pack_ref(op.anchor)]
    elif op.kind == MARK:
        fields += [pack_ref(op.anchor), pack_ref(op.target), pack_uint(op.count), pack_text(op.text), op.value]
    return pack_array(len(fields)) + b"".join(fields)


def pack_ref(ref: Ref | None) -> bytes:
    if ref is None:
        return b"\xc0"
    if isinstance(ref, int):
        return pack_uint(ref)
    return b"\x92" + pack_id(ref[0]) + pack_uint(ref[1])


def read_node(data: bytes) -> Node:
    """Reads canonical bytes; any second form of the same node is refused."""
    if len(data) > NODE_BYTES:
        raise DecodeError("a node exceeds 1 MiB")
    reader = Reader(data)
    room, author, prev = reader.take(32), reader.take(32), reader.take(32)
    if reader.pack_uint() != 1:
        raise DecodeError("unknown node version")
    parents = tuple(reader.pack_id() for _ in range(reader.pack_array(MOST_PARENTS)))
    wall_ms = None if reader.pack_nil() else reader.pack_uint()
    ops = tuple(read_op(reader) for _ in range(reader.pack_array(MOST_OPS)))
    reader.end()
    name = hashlib.sha256(data).digest()
    node = Node(room, author, None if prev == NO_ID else prev, parents, wall_ms, ops, id=name)
    check_node(node)
    return node


def read_op(reader: Reader) -> Op:
    fields = reader.pack_array(MOST_ITEMS + 3)
    kind, key = reader.pack_uint(), check_key(reader.pack_text())
    if kind in INSERTS_ITEMS:
        anchor = read_ref(reader)
        op = Op(kind, key, anchor=anchor, values=tuple(reader.pack_value() for _ in range(fields - 3)))
    elif fields != {DELETE: 2, SET: 3, SET_BLOB: 3, MARK: 7}.get(kind, 4):
        raise DecodeError("an op has the wrong number of fields")
    elif kind == SET:
        op = Op(kind, key, value=reader.pack_value())
    elif kind == SET_BLOB:
        op = Op(kind, key, value=reader.pack_id())
    elif kind == DELETE:
        op = Op(kind, key)
    elif kind in INSERTS_TEXT:
        op = Op(kind, key, anchor=read_ref(reader), text=reader.pack_text())
    elif kind in DELETES:
        op = Op(kind, key, target=read_ref(reader), count=reader.pack_uint())
    elif kind in MOVES:
        op = Op(kind, key, target=read_ref(reader), anchor=read_ref(reader))
    elif kind == MARK:
        start, end, sides = read_ref(reader), read_ref(reader), reader.pack_uint()
        name, value = reader.pack_text(), reader.pack_value()
        op = Op(kind, key, value, start, end, sides, name)
    else:
        raise DecodeError("unknown op")
    check_op(op)
    return op


def read_ref(reader: Reader) -> Ref | None:
    if reader.pack_nil():
        return None
    if reader.left and 0x90 <= reader.data[reader.at] <= 0x9F:
        if reader.pack_array(2) != 2:
            raise DecodeError("an element is named by node and offset")
        return reader.pack_id(), check_element(reader.pack_uint())
    return check_element(reader.pack_uint())


def check_key(key: str) -> str:
    if not 1 <= len(key.encode()) <= KEY_BYTES:
        raise DecodeError("a key has 1 to 4,096 bytes")
    return key


def check_element(place: int) -> int:
    if not 0 <= place < MOST_ELEMENTS:
        raise DecodeError("an element before the first or beyond 2^31")
    return place


def check_op(op: Op) -> None:
    """The rules of an op that need nothing but the op."""
    if op.kind in DELETES and not 1 <= op.count <= MOST_ELEMENTS:
        raise DecodeError("a deletion of nothing or too much")
    if op.kind == MARK:
        check_mark(op)
    if op.kind in DELETES + MOVES and op.target is None:
        raise DecodeError("the start is no element")
    if op.kind in LEFT_KINDS and op.anchor is None:
        raise DecodeError("nothing is left of the start")
    if op.kind in INSERTS_TEXT + INSERTS_ITEMS and op.elements == 0:
        raise DecodeError("an insertion of nothing")


def check_mark(op: Op) -> None:
    if not 0 <= op.count <= BEHIND_FROM | BEHIND_TO:
        raise DecodeError("a mark has other sides than four")
    if op.anchor is None and not op.count & BEHIND_FROM or op.target is None and op.count & BEHIND_TO:
        raise DecodeError("a mark begins before the start, or ends behind the end")
    if not 1 <= len(op.text.encode()) <= MARK_NAME_BYTES:
        raise DecodeError("the name of a mark has 1 to 256 bytes")
    if len(op.value) > MARK_VALUE_BYTES:
        raise DecodeError("the value of a mark exceeds 16 KiB")


def check_node(node: Node) -> None:
    """The rules of a node that need nothing but the node."""
    if len(node.parents) > MOST_PARENTS or len(node.ops) > MOST_OPS or (node.wall_ms or 0) > MOST_WALL:
        raise DecodeError("a node has too many parents or ops, or its clock is too far")
    if not node.ops and node.withheld is None and len(node.parents) + (node.prev is not None) < 2:
        raise DecodeError("a node without ops must join two nodes")
    if node.prev == NO_ID:
        raise DecodeError("prev is zeros, which stand for none")
    if node.prev in node.parents or any(a >= b for a, b in zip(node.parents, node.parents[1:])):
        raise DecodeError("parents are not a sorted set without prev")
