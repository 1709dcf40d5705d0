"""Proofs of what a room shows, for who has its authority's key alone; and the value root, for who has the room. [VR1] to [VR6]"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .authority import SIZE, speaks_in
from .reign import Reign
from . import nodes as n
from .crypto import verify
from .document import Document, is_system_key
from .faults import DecodeError
from .proofs import LIST, REGISTER, TEXT
from .wire import Reader, utf8, varint

BYTES, BLOB, PLAIN, MARKED, ITEMS = range(5)
LEFT_OUT, BRANCHES, HASHED, WHOLE, SUMMARY, NOTHING = range(6)
CHUNK_UNITS, CHUNK_ITEMS, CHUNK_SPANS = 1024, 64, 64
Place = tuple[bytes, int]


def tagged(tag: str, *parts: bytes) -> bytes:
    return hashlib.sha256(tag.encode() + b"\0" + b"".join(parts)).digest()


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


@dataclass(frozen=True)
class Shown:
    """A value as it reads."""

    form: int
    data: bytes = b""
    """A register's MessagePack, a blob's hash, or the code units of a text, big-endian."""
    items: tuple[bytes, ...] = ()
    spans: tuple[tuple[int, tuple[tuple[str, bytes], ...]], ...] = ()
    """Code units and marks of each part of a text that shows marks."""

    def content(self) -> bytes:
        """Form and what is hashed of it."""
        if self.form in (BYTES, BLOB):
            return bytes([self.form]) + self.data
        if self.form == ITEMS:
            return bytes([ITEMS]) + varint(len(self.items)) + chunks_root(item_chunks(self.items))
        head = bytes([self.form]) + varint(len(self.data) // 2) + chunks_root(text_chunks(self.data))
        if self.form == PLAIN:
            return head
        return head + varint(len(self.spans)) + chunks_root(span_chunks(self.spans))


@dataclass(frozen=True)
class Told:
    """An entry of a proof; what it holds where that was told."""

    place: Place
    shown: Shown | None = None
    content: bytes | None = None


@dataclass(frozen=True)
class ValueRoot:
    """What an authority has signed of a room."""

    authority: str
    room: str
    genesis: str
    seq: int | None
    state_hash: str
    count: int
    root: bytes


def text_chunks(units: bytes) -> list[bytes]:
    size = CHUNK_UNITS * 2
    return [units[at : at + size] for at in range(0, len(units), size)]


def item_chunks(items: tuple[bytes, ...]) -> list[bytes]:
    groups = (items[at : at + CHUNK_ITEMS] for at in range(0, len(items), CHUNK_ITEMS))
    return [b"".join(map(sized, group)) for group in groups]


def span_chunks(spans: tuple[tuple[int, tuple[tuple[str, bytes], ...]], ...]) -> list[bytes]:
    chunks, before = [], 0
    for at in range(0, len(spans), CHUNK_SPANS):
        group = spans[at : at + CHUNK_SPANS]
        chunks.append(varint(before) + b"".join(span_bytes(units, marks) for units, marks in group))
        before += sum(units for units, _ in group)
    return chunks


def span_bytes(units: int, marks: tuple[tuple[str, bytes], ...]) -> bytes:
    return varint(units) + varint(len(marks)) + b"".join(sized(name.encode()) + sized(value) for name, value in marks)


def chunks_root(chunks: list[bytes]) -> bytes:
    return folded(0, len(chunks), lambda at: tagged("weft-chunk-v1", chunks[at])) if chunks else tagged("weft-chunks-v1")


def folded(
    start: int, end: int, leaf: Callable[[int], bytes], outside: Callable[[int, int], bytes | None] | None = None
) -> bytes:
    """Root over chunks; `outside` answers the hash of a subtree that is not looked into."""
    known = outside(start, end) if outside else None
    if known is not None:
        return known
    if end - start == 1:
        return leaf(start)
    middle = start + (1 << (end - start - 1).bit_length() - 1)
    left = folded(start, middle, leaf, outside)
    return tagged("weft-chunks-v1", left, folded(middle, end, leaf, outside))


def entry_hash(place: Place, content: bytes) -> bytes:
    return entry_of(place, tagged("weft-value-v1", content))


def entry_of(place: Place, value: bytes) -> bytes:
    key, kind = place
    return tagged("weft-entry-v1", sized(key), bytes([kind]), value)


def bits(place: Place) -> str:
    key, kind = place
    return "".join(f"1{byte:08b}" for byte in key) + f"0{kind:02b}"


def value_root(document: Document) -> bytes:
    """Root over all that a document shows. [VR3]"""
    entries = sorted((bits(place), entry_hash(place, shown.content())) for place, shown in shown_values(document))
    if not entries:
        return tagged("weft-entries-v1")
    # Entries in order make the tree as a stack: each parts from the one before where their bits do.
    stack: list[tuple[int, bytes]] = []
    for number, (name, found) in enumerate(entries):
        after = entries[number + 1][0] if number + 1 < len(entries) else None
        parts = -1 if after is None else next(at for at, pair in enumerate(zip(name, after)) if pair[0] != pair[1])
        while stack and stack[-1][0] > parts:
            found = tagged("weft-entries-v1", stack.pop()[1], found)
        stack.append((parts, found))
    return stack[0][1]


def shown_values(document: Document) -> Iterator[tuple[Place, Shown]]:
    for key, written in document.registers.items():
        if not written.is_deleted and not is_system_key(key):
            form = BLOB if written.op.kind == n.SET_BLOB else BYTES
            yield (key.encode(), REGISTER), Shown(form, written.op.value)
    for key, text in document.texts.items():
        if text.elements and not is_system_key(key):
            units = b"".join(element.content for element in text.visible())
            spans = tuple(
                (len(part.encode("utf-16-be", "surrogatepass")) // 2, tuple(sorted(marks.items(), key=by_units)))
                for part, marks in text.spans()
            )
            is_marked = any(marks for _, marks in spans)
            yield (key.encode(), TEXT), Shown(MARKED, units, spans=spans) if is_marked else Shown(PLAIN, units)
    for key, items in document.lists.items():
        if items.elements and not is_system_key(key):
            yield (key.encode(), LIST), Shown(ITEMS, items=tuple(items.read()))


def by_units(mark: tuple[str, bytes]) -> bytes:
    return mark[0].encode("utf-16-be")


def open_value_root(signed: bytes, room: str, authorities: Iterable[str]) -> ValueRoot:
    """What is signed, if one of these has signed it for this room; DecodeError otherwise. [VR4]"""
    reader = Reader(signed)
    head = reader.take(2)
    if head not in (b"\x52\x01", b"\x52\x02", b"\x52\x03"):
        raise DecodeError("not a value root")
    authority, signature = reader.take(32), reader.take(64)
    certificate = reader.take(SIZE) if head[1] == 2 else None
    if head[1] == 3:
        certificate = reader.take(reader.varint())
    body = signed[reader.at :]
    named, genesis, position = reader.take(reader.varint()), reader.take(32), reader.varint()
    state_hash, count, root = reader.take(32), reader.varint(), reader.take(32)
    reader.end()
    if not speaks_in(authority, certificate, genesis, Reign(frozenset(authorities))) or named != room.encode():
        raise DecodeError("a value root of another room, or signed by nobody who speaks for it")
    if not verify(authority, b"weft-values-v1\0" + hashlib.sha256(body).digest(), signature):
        raise DecodeError("a value root has a wrong signature")
    return ValueRoot(authority.hex(), room, genesis.hex(), position - 1 if position else None, state_hash.hex(), count, root)


def read_entries(reader: Reader, root: bytes) -> list[Told | None]:
    """What a proof tells from left to right, None for what is left out; DecodeError where it has another root. [VR5]"""
    told: list[Told | None] = []
    branches: list[bytes | None] = []
    if reader.take(1) != b"\1":
        raise DecodeError("unknown version of a proof of entries")
    while True:
        piece = reader.take(1)[0]
        if piece == BRANCHES:
            branches.append(None)
            continue
        if piece == NOTHING and not branches:
            found = tagged("weft-entries-v1")
        else:
            found = read_piece(reader, piece, told)
        while branches and branches[-1] is not None:
            found = tagged("weft-entries-v1", branches.pop() or b"", found)
        if not branches:
            break
        branches[-1] = found
    places = [one.place for one in told if one]
    if found != root or places != sorted(set(places)):
        raise DecodeError("a proof has another root than was signed")
    return told


def read_piece(reader: Reader, piece: int, told: list[Told | None]) -> bytes:
    if piece == LEFT_OUT:
        told.append(None)
        return reader.take(32)
    if piece not in (HASHED, WHOLE, SUMMARY):
        raise DecodeError(f"unknown piece {piece} of a proof")
    kind = reader.take(1)[0]
    place = (reader.take(reader.varint()), kind)
    if piece == HASHED:
        told.append(Told(place))
        return entry_of(place, reader.take(32))
    shown = read_shown(reader) if piece == WHOLE else None
    content = shown.content() if shown else read_content(reader)
    told.append(Told(place, shown, content))
    return entry_hash(place, content)


def read_shown(reader: Reader) -> Shown:
    form = reader.take(1)[0]
    if form == BYTES:
        return Shown(form, reader.take(reader.varint()))
    if form == BLOB:
        return Shown(form, reader.take(32))
    if form == ITEMS:
        return Shown(form, items=tuple(reader.take(reader.varint()) for _ in range(reader.varint())))
    if form not in (PLAIN, MARKED):
        raise DecodeError(f"unknown form {form} of a value")
    units = reader.take(reader.varint() * 2)
    return Shown(form, units, spans=tuple(read_span(reader) for _ in range(reader.varint() if form == MARKED else 0)))


def read_span(reader: Reader) -> tuple[int, tuple[tuple[str, bytes], ...]]:
    units = reader.varint()
    marks = []
    for _ in range(reader.varint()):
        name = utf8(reader.take(reader.varint()))
        marks.append((name, reader.take(reader.varint())))
    return units, tuple(marks)


def read_content(reader: Reader) -> bytes:
    form = reader.take(1)
    if form[0] == BLOB:
        return form + reader.take(32)
    if form[0] not in (PLAIN, MARKED, ITEMS):
        raise DecodeError(f"form {form[0]} of a value has no summary")
    content = form + varint(reader.varint()) + reader.take(32)
    return content + varint(reader.varint()) + reader.take(32) if form[0] == MARKED else content


def proven_page(
    signed: bytes, proof: bytes, room: str, authorities: Iterable[str], prefix: str = "", after: Place | None = None
) -> tuple[list[Told], bool]:
    """Entries under a prefix behind one, none left out, and whether nothing is behind them; DecodeError if not proved."""
    at = open_value_root(signed, room, list(authorities))
    reader = Reader(proof)
    told = read_entries(reader, at.root)
    reader.end()
    start = (after[0], after[1] + 1) if after else (prefix.encode(), REGISTER)
    return without_gaps(told, start, lambda place: place[0].startswith(prefix.encode()))


def without_gaps(told: list[Told | None], start: Place, is_within: Callable[[Place], bool]) -> tuple[list[Told], bool]:
    found: list[Told] = []
    is_sure = True
    for one in told:
        if one is None:
            if found:
                return found, False
            is_sure = False
        elif one.place < start:
            is_sure = True
        elif not is_sure:
            break
        elif is_within(one.place):
            found.append(one)
        else:
            return found, True
    if not is_sure:
        raise DecodeError("what is left out may stand where the page begins")
    return found, True


def proven_text_part(
    signed: bytes, proof: bytes, room: str, authorities: Iterable[str], key: str, start: int, end: int
) -> str:
    """Code units [start, end) of a text; its spans are not looked at. [VR6]"""
    at = open_value_root(signed, room, list(authorities))
    reader = Reader(proof)
    place = (key.encode(), TEXT)
    found = [one for one in read_entries(reader, at.root) if one and one.place == place]
    content = Reader(found[0].content or b"") if found else Reader(b"")
    form, length = content.take(1)[0], content.varint()
    if form not in (PLAIN, MARKED) or not 0 <= start <= end <= length:
        raise DecodeError("no part of the text")
    first, told = read_chunks(reader, content.take(32), -(-length // CHUNK_UNITS))
    if form == MARKED:
        count = content.varint()
        read_chunks(reader, content.take(32), -(-count // CHUNK_SPANS))
    reader.end()
    units = b"".join(told)
    begin = first * CHUNK_UNITS
    if begin > start or begin + len(units) // 2 < end:
        raise DecodeError("the chunks of a proof do not hold the part")
    return units[(start - begin) * 2 : (end - begin) * 2].decode("utf-16-be", "surrogatepass")


def read_chunks(reader: Reader, root: bytes, count: int) -> tuple[int, list[bytes]]:
    first = reader.varint()
    told = [reader.take(reader.varint()) for _ in range(reader.varint())]
    if first + len(told) > count:
        raise DecodeError("more chunks than there are")
    if count == 0:
        return first, told

    def outside(start: int, end: int) -> bytes | None:
        return reader.take(32) if end <= first or start >= first + len(told) else None

    if folded(0, count, lambda at: tagged("weft-chunk-v1", told[at - first]), outside) != root:
        raise DecodeError("the chunks of a proof are others than were signed")
    return first, told
