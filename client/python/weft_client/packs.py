"""Packs: nodes and their seals on their way, as columns or as rows. [PK1] [PK2] [PK10] [PK11]"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from . import nodes as n
from .faults import DecodeError
from .nodes import Node, Op, Ref
from .wire import Reader, utf8, varint

ROWS = b"\x57\x01\x02"
MOST_ROWS = 4096
MOST_NODES, MOST_OPS = 1 << 20, 1 << 22
MOST_INFLATED = 64 << 20
DEFLATED, HEADERS, REMAINS, CERTIFIED, LINE = 1, 4, 8, 16, 32
CERTIFICATE = 176
"""Bytes of a mandate."""
T = TypeVar("T")


@dataclass(frozen=True)
class Pack:
    nodes: list[Node]
    seals: list[tuple[int, bytes]]
    """Index of each sealed node, and the signature."""
    attestation: tuple[bytes, bytes] | None = None
    certificate: bytes | None = None
    """What whoever vouches for headers shows, unless it is a root."""
    """Authority that vouches for the headers, and its signature. [HD2]"""


def encode_rows(rows: Sequence[bytes], seals: Iterable[tuple[int, bytes]]) -> bytes:
    """Canonical bytes of up to 4,096 nodes, and their seals in order."""
    out = [ROWS, varint(len(rows))]
    for row in rows:
        out += [varint(len(row)), row]
    sealed = list(seals)
    out.append(varint(len(sealed)))
    before = -1
    for index, signature in sealed:
        out += [varint(index - before - 1), signature]
        before = index
    return b"".join(out)


def decode_pack(data: bytes) -> Pack:
    """Reads a pack; whatever cannot be read is one `DecodeError`."""
    reader = Reader(data)
    if reader.take(2) != b"\x57\x01":
        raise DecodeError("not a pack of version 1")
    flags = reader.byte()
    if flags == 2:
        return read_rows(reader)
    of_headers = REMAINS | CERTIFIED | LINE
    if flags & ~(DEFLATED | HEADERS | of_headers) or (flags & of_headers and not flags & HEADERS):
        raise DecodeError("unknown flags")
    length = limited(reader.varint(), MOST_INFLATED)
    body = reader.take(max(reader.left - 4, 0))
    if zlib.crc32(data[: reader.at]) != reader.uint(4):
        raise DecodeError("the checksum is wrong")
    if flags & DEFLATED:
        body = inflated(body, length)
    if len(body) != length:
        raise DecodeError("the body has another length than the pack says")
    return read_body(Reader(body), bool(flags & HEADERS), bool(flags & REMAINS), flags)


def inflated(body: bytes, length: int) -> bytes:
    stream = zlib.decompressobj(-15)
    try:
        out = stream.decompress(body, length + 1)
    except zlib.error as error:
        raise DecodeError("the body does not inflate") from error
    if not stream.eof or stream.unused_data:
        raise DecodeError("the body is cut off, too long, or has something behind it")
    return out


def read_rows(reader: Reader) -> Pack:
    nodes = []
    for _ in range(reader.count(96, MOST_ROWS)):
        nodes.append(n.read_node(reader.take(reader.count(1, n.NODE_BYTES))))
    seals = read_seals(reader, len(nodes))
    reader.end()
    return Pack(nodes, seals)


def read_seals(reader: Reader, nodes: int) -> list[tuple[int, bytes]]:
    seals = []
    index = -1
    for _ in range(reader.count(65, nodes)):
        index += reader.varint() + 1
        if index >= nodes:
            raise DecodeError("a seal of a node outside the pack")
        seals.append((index, reader.take(64)))
    return seals


class Column:
    """Values of a column, from the front: nothing is allocated for what it claims."""

    def __init__(self, reader: Reader) -> None:
        self.left = reader.varint()
        runs = reader.count(2, self.left)
        if runs == 0 and self.left > reader.left:
            raise DecodeError("a count exceeds the bytes that follow")
        values = [reader.varint() for _ in range(runs or self.left)]
        self._lengths = [reader.varint() + 1 for _ in range(runs)]
        if runs and sum(self._lengths) != self.left:
            raise DecodeError("the runs of a column do not add up")
        self._values = iter(values)
        self._runs = iter(self._lengths) if runs else None
        self._value = self._again = 0

    def next(self) -> int:
        if self.left == 0:
            raise DecodeError("a column ends too early")
        self.left -= 1
        if self._runs is None:
            return next(self._values)
        if self._again == 0:
            self._value, self._again = next(self._values), next(self._runs)
        self._again -= 1
        return self._value


NOTHING = -2
"""No deletion has gone before."""


@dataclass
class Stretch:
    """Nodes of one chain, each the `prev` of the next, and what is expected of them."""

    room: bytes
    author: bytes
    inserted: int
    before: int
    latest: bytes | None = None
    expected: int = -1
    erased: int = NOTHING

    def insert(self, count: int) -> None:
        if self.inserted + count > n.MOST_ELEMENTS:
            raise DecodeError("an element beyond 2^31")
        self.inserted += count
        self.expected = self.inserted - 1
        self.erased = NOTHING

    def erase(self, element: int) -> None:
        self.expected = element + (1 if element == self.erased + 1 else -1)
        self.erased = element


def unzigzag(value: int) -> int:
    return value >> 1 if value % 2 == 0 else -((value + 1) >> 1)


def read_body(reader: Reader, has_headers: bool, has_remains: bool = False, flags: int = 0) -> Pack:
    nodes = Body(reader, has_headers, has_remains).read()
    seals = read_seals(reader, len(nodes))
    attestation = (reader.take(32), reader.take(64)) if has_headers else None
    certificate = reader.take(CERTIFICATE) if flags & CERTIFIED else None
    if flags & LINE:
        certificate = reader.take(reader.varint())
    reader.end()
    return Pack(nodes, seals, attestation, certificate)


class Body:
    """Tables and columns of a body, turned into nodes one by one."""

    def __init__(self, reader: Reader, has_headers: bool, has_remains: bool) -> None:
        self.has_remains = has_remains
        self.count = limited(reader.varint(), MOST_NODES)
        self.op_count = limited(reader.varint(), MOST_OPS)
        self.ids = [reader.take(32) for _ in range(reader.count(32, len(reader.data)))]
        self.outside = [reader.take(32) for _ in range(reader.count(32, len(reader.data)))]
        self.keys = [
            n.check_key(utf8(reader.take(reader.count(1, n.KEY_BYTES)))) for _ in range(reader.count(2, self.op_count))
        ]
        if len(set(self.keys)) < len(self.keys):
            raise DecodeError("a key is listed twice")
        self.stretches = [self.read_stretch(reader) for _ in range(reader.count(4, self.count))]
        self.headers = self.read_headers(reader) if has_headers else {}
        self.stretch, self.parent_count, self.parents, self.wall, self.ops_of = (Column(reader) for _ in range(5))
        self.kind, self.key, self.element, self.far = (Column(reader) for _ in range(4))
        self.foreign, self.offset, self.size = (Column(reader) for _ in range(3))
        self.content = Reader(reader.take(reader.count(1, len(reader.data))))
        self.nodes: list[Node] = []
        self.clock = 0

    def read_stretch(self, reader: Reader) -> Stretch:
        room, author = picked(self.ids, reader.varint()), picked(self.ids, reader.varint())
        inserted = n.check_element(reader.varint())
        return Stretch(room, author, inserted, reader.varint(), expected=inserted - 1)

    def read_headers(self, reader: Reader) -> dict[int, tuple[int, bytes]]:
        headers = {}
        index = -1
        for _ in range(reader.count(34, self.count)):
            index += reader.varint() + 1
            headers[index] = (limited(reader.varint(), n.MOST_ELEMENTS), reader.take(32))
        if not headers or index >= self.count:
            raise DecodeError("no headers, or one of a node outside the pack")
        return headers

    def read(self) -> list[Node]:
        ops = 0
        for index in range(self.count):
            node = self.read_node(self.headers.get(index))
            ops += len(node.ops)
            self.nodes.append(node)
        columns = (self.stretch, self.parent_count, self.parents, self.wall, self.ops_of, self.kind, self.key)
        rest = (self.element, self.far, self.foreign, self.offset, self.size)
        if ops != self.op_count or any(column.left for column in columns + rest):
            raise DecodeError("a column has values that no node takes")
        if self.has_remains != any(node.withheld is not None and node.ops for node in self.nodes):
            raise DecodeError("no header of the pack has ops")
        self.content.end()
        return self.nodes

    def read_node(self, header: tuple[int, bytes] | None) -> Node:
        stretch = picked(self.stretches, self.stretch.next())
        counter = stretch.inserted
        prev = stretch.latest or (None if stretch.before == 0 else self.reference(stretch.before - 1))
        parents = tuple(
            self.reference(self.parents.next()) for _ in range(limited(self.parent_count.next(), n.MOST_PARENTS))
        )
        clock = self.wall.next()
        if clock > 0:
            self.clock += unzigzag(clock - 1)
        if self.clock < 0:
            raise DecodeError("a clock is before 1970")
        op_count = limited(self.ops_of.next(), n.MOST_OPS)
        if header and (op_count > 0 and not self.has_remains or clock > 0):
            raise DecodeError("a header has ops or a clock")
        if header and header[0] and op_count == 0:
            stretch.insert(header[0])
        ops = tuple(self.read_op(stretch) for _ in range(op_count))
        if header and stretch.inserted != counter + header[0]:
            raise DecodeError("a header counts other elements than its ops insert")
        elements, name = header if header else (None, b"")
        wall_ms = self.clock if clock > 0 else None
        node = Node(stretch.room, stretch.author, prev, parents, wall_ms, ops, counter, elements, name)
        n.check_node(node)
        if not header and len(n.canonical(node)) > n.NODE_BYTES:
            raise DecodeError("a node exceeds 1 MiB")
        stretch.latest = node.id
        return node

    def reference(self, code: int) -> bytes:
        if code % 2 == 0:
            return picked(self.outside, code // 2)
        place = len(self.nodes) - 1 - (code - 1) // 2
        if place < 0:
            raise DecodeError("a reference points outside the pack")
        return self.nodes[place].id

    def read_op(self, stretch: Stretch) -> Op:
        kind, key = self.kind.next(), picked(self.keys, self.key.next())
        if kind == n.SET:
            return Op(kind, key, value=self.value())
        if kind == n.SET_BLOB:
            return Op(kind, key, value=self.content.take(32))
        if kind in n.DELETES:
            target = self.ref(self.element.next(), stretch.expected)
            op = Op(kind, key, target=target, count=self.size.next())
            n.check_op(op)
            if isinstance(target, int):
                stretch.erase(target)
            return op
        if kind in n.INSERTS_TEXT:
            op = Op(kind, key, anchor=self.anchor(stretch), text=utf8(self.content.take(self.size.next())))
        elif kind in n.INSERTS_ITEMS:
            anchor, count = self.anchor(stretch), self.size.next()
            if count > self.size.left:
                raise DecodeError("a column ends too early")
            op = Op(kind, key, anchor=anchor, values=tuple(self.value() for _ in range(count)))
        elif kind in n.MOVES:
            target = self.ref(self.element.next(), stretch.expected)
            op = Op(kind, key, target=target, anchor=self.anchor(stretch))
        elif kind == n.MARK:
            start, end = self.anchor(stretch), self.anchor(stretch)
            sides, content = self.size.next(), Reader(self.content.take(self.size.next()))
            name, value = content.pack_text(), content.pack_value()
            op = Op(kind, key, anchor=start, target=end, count=sides, text=name, value=value)
            content.end()
            n.check_op(op)
            return op
        elif kind == n.DELETE:
            return Op(kind, key)
        else:
            raise DecodeError("unknown op")
        n.check_op(op)
        stretch.insert(op.elements)
        return op

    def anchor(self, stretch: Stretch) -> Ref | None:
        return self.ref(self.element.next(), stretch.inserted - 1)

    def ref(self, code: int, expected: int) -> Ref | None:
        if code == 0:
            return None
        if code == 1:
            return self.reference(self.foreign.next()), n.check_element(self.offset.next())
        return n.check_element(expected + unzigzag(self.far.next() if code == 2 else code - 3))

    def value(self) -> bytes:
        item = Reader(self.content.take(self.size.next()))
        value = item.pack_value()
        item.end()
        return value


def picked(values: Sequence[T], index: int) -> T:
    if index >= len(values):
        raise DecodeError("a reference points outside its table")
    return values[index]


def limited(count: int, most: int) -> int:
    if count > most:
        raise DecodeError(f"{count} exceeds the limit {most}")
    return count
