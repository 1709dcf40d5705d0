"""Readers and writers of varints and of MessagePack in its shortest form. [ND1] [ND4] [PK1]"""

from __future__ import annotations

from .faults import DecodeError

MOST_SAFE = 2**53 - 1
DEPTH = 64
FIXED_SIZES = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
FIXED_SIZES |= {0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}


class Reader:
    """Bytes that are read from the front; what is not there is a `DecodeError`."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise DecodeError("unexpected end")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def uint(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 49:
                raise DecodeError("a varint is too long")
        if (byte == 0 and shift > 0) or value > MOST_SAFE:
            raise DecodeError("not a varint in its shortest form")
        return value

    def count(self, size: int, most: int) -> int:
        """How many items follow, of which each has at least `size` bytes."""
        count = self.varint()
        if count > most or count * size > self.left:
            raise DecodeError("a count exceeds its limit, or the bytes that follow")
        return count

    def end(self) -> None:
        if self.left:
            raise DecodeError("trailing bytes")

    # MessagePack in its shortest form, as it stands in canonical nodes.

    def pack_uint(self) -> int:
        tag = self.byte()
        if tag < 0x80:
            return tag
        size = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}.get(tag)
        if size is None:
            raise DecodeError("not an unsigned integer")
        value = self.uint(size)
        if value < (0x80 if size == 1 else 1 << (4 * size)):
            raise DecodeError("an integer is not in its shortest form")
        return value

    def pack_array(self, most: int) -> int:
        tag = self.byte()
        if 0x90 <= tag <= 0x9F:
            count = tag & 15
        elif tag in (0xDC, 0xDD):
            count = self.uint(2 if tag == 0xDC else 4)
            if count < (16 if tag == 0xDC else 0x10000):
                raise DecodeError("an array is not in its shortest form")
        else:
            raise DecodeError("not an array")
        if count > most or count > self.left:
            raise DecodeError("an array is too long")
        return count

    def pack_text(self) -> str:
        tag = self.byte()
        if 0xA0 <= tag <= 0xBF:
            length = tag & 31
        elif tag in (0xD9, 0xDA, 0xDB):
            size = 1 << (tag - 0xD9)
            length = self.uint(size)
            if length < {1: 32, 2: 0x100, 4: 0x10000}[size]:
                raise DecodeError("a text is not in its shortest form")
        else:
            raise DecodeError("not a text")
        return utf8(self.take(length))

    def pack_id(self) -> bytes:
        if self.take(2) != b"\xc4\x20":
            raise DecodeError("not 32 bytes")
        return self.take(32)

    def pack_nil(self) -> bool:
        """Whether nil stands here; it is passed over then."""
        if self.left and self.data[self.at] == 0xC0:
            self.at += 1
            return True
        return False

    def pack_value(self) -> bytes:
        """The bytes of one item, whatever its form. [ND4]"""
        start = self.at
        open_items = [1]
        while open_items:
            if open_items[-1] == 0:
                open_items.pop()
                continue
            open_items[-1] -= 1
            children = self._item()
            if children == 0:
                continue
            if children > self.left:
                raise DecodeError("unexpected end")
            if len(open_items) >= DEPTH:
                raise DecodeError("a value is nested too deeply")
            open_items.append(children)
        return self.data[start : self.at]

    def _item(self) -> int:
        """Passes over one head and its payload; how many items follow as its children."""
        tag = self.byte()
        if tag < 0x80 or tag >= 0xE0 or tag in (0xC0, 0xC2, 0xC3):
            return 0
        if tag < 0x90:
            return (tag & 15) * 2
        if tag < 0xA0:
            return tag & 15
        if tag < 0xC0:
            self.take(tag & 31)
        elif tag in (0xC4, 0xC5, 0xC6):
            self.take(self.uint(1 << (tag - 0xC4)))
        elif tag in (0xC7, 0xC8, 0xC9):
            self.take(self.uint(1 << (tag - 0xC7)) + 1)
        elif tag in (0xD9, 0xDA, 0xDB):
            self.take(self.uint(1 << (tag - 0xD9)))
        elif tag in (0xDC, 0xDD):
            return self.uint(2 if tag == 0xDC else 4)
        elif tag in (0xDE, 0xDF):
            return self.uint(2 if tag == 0xDE else 4) * 2
        elif tag in FIXED_SIZES:
            self.take(FIXED_SIZES[tag])
        else:
            raise DecodeError("not MessagePack")
        return 0


def utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("not UTF-8") from error


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def pack_uint(value: int) -> bytes:
    if value < 0x80:
        return bytes([value])
    for tag, size in ((0xCC, 1), (0xCD, 2), (0xCE, 4)):
        if value < 1 << (8 * size):
            return bytes([tag]) + value.to_bytes(size, "big")
    return b"\xcf" + value.to_bytes(8, "big")


def pack_array(count: int) -> bytes:
    if count < 16:
        return bytes([0x90 | count])
    return b"\xdc" + count.to_bytes(2, "big") if count < 0x10000 else b"\xdd" + count.to_bytes(4, "big")


def pack_text(text: str) -> bytes:
    data = text.encode()
    size = len(data)
    if size < 32:
        return bytes([0xA0 | size]) + data
    if size < 0x100:
        return bytes([0xD9, size]) + data
    return (b"\xda" + size.to_bytes(2, "big") if size < 0x10000 else b"\xdb" + size.to_bytes(4, "big")) + data


def pack_id(name: bytes) -> bytes:
    return b"\xc4\x20" + name
