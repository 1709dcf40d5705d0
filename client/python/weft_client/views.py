"""Texts, lists and maps of a room as an application edits them."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any, Protocol

import msgpack

from . import nodes as n
from .document import BlobRef, unpacked
from .nodes import Op, Ref
from .replica import Replica
from .sequences import Element, Items, Text


class Writer(Protocol):
    """What an edit needs of its room."""

    @property
    def replica(self) -> Replica: ...

    def write(self, ops: Sequence[Op]) -> None: ...


def packed(value: Any) -> bytes:
    """A value as MessagePack; what has no such form is a `TypeError` or `ValueError` here, before anything is written."""
    data: bytes = msgpack.packb(value, datetime=True)
    return data


def shown(op: Op | None, default: Any = None) -> Any:
    """The value of a register for an application."""
    if op is None:
        return default
    return BlobRef(op.value.hex()) if op.kind == n.SET_BLOB else unpacked(op.value)


def ref_to(replica: Replica, element: Element) -> Ref:
    """An own element by its counter, another one by its node. [ND7]"""
    if replica.holds_own(element.placed, element.counter):
        return element.counter
    return element.placed.node.id, element.offset


def insertion(replica: Replica, sequence: Text | Items | None, behind: Element | None) -> tuple[Ref | None, bool]:
    parent, is_right = sequence.anchor(behind) if sequence else (None, True)
    return (None if parent is None else ref_to(replica, parent)), is_right


def deletions(replica: Replica, kind: int, key: str, elements: Sequence[Element]) -> list[Op]:
    """One op for elements whose counters follow each other; elements are named in the order of the document."""
    ops = []
    run: list[Element] = []
    for element in elements:
        if run and (element.placed.line is not run[-1].placed.line or element.counter != run[-1].counter + 1):
            ops.append(Op(kind, key, target=ref_to(replica, run[-1]), count=len(run)))
            run = []
        run.append(element)
    return [*ops, Op(kind, key, target=ref_to(replica, run[-1]), count=len(run))]


EXPAND = {"after": (False, True), "before": (True, False), "both": (True, True), "none": (False, False)}
"""Whether what is typed before the first and behind the last character of a mark is marked."""


class TextView:
    """A text. Positions are those of `str`, in code points."""

    def __init__(self, room: Writer, key: str) -> None:
        self._room = room
        self.key = key

    @property
    def _text(self) -> Text | None:
        return self._room.replica.document.texts.get(self.key)

    def __str__(self) -> str:
        text = self._text
        return text.read() if text else ""

    def __len__(self) -> int:
        return len(self._characters())

    def _characters(self) -> list[list[Element]]:
        """The code units of each character."""
        characters: list[list[Element]] = []
        for unit in self._text.visible() if self._text else ():
            is_low = unit.content[0] & 0xFC == 0xDC
            if is_low and characters and len(characters[-1]) == 1 and characters[-1][0].content[0] & 0xFC == 0xD8:
                characters[-1].append(unit)
            else:
                characters.append([unit])
        return characters

    def insert(self, at: int, text: str) -> None:
        characters = self._characters()
        if not 0 <= at <= len(characters):
            raise IndexError(f"there is no place {at} in a text of {len(characters)} characters")
        if not text:
            return
        text.encode("utf-8")  # half a pair is a ValueError here
        anchor, is_right = insertion(self._room.replica, self._text, characters[at - 1][-1] if at else None)
        kind = n.TEXT_RIGHT if is_right else n.TEXT_LEFT
        self._room.write([Op(kind, self.key, anchor=anchor, text=text)])

    def append(self, text: str) -> None:
        self.insert(len(self), text)

    def spans(self) -> list[tuple[str, dict[str, Any]]]:
        """Parts that are marked alike, each with the values of its marks by name."""
        spans = self._text.spans() if self._text else []
        return [(text, {name: unpacked(value) for name, value in sorted(marks.items())}) for text, marks in spans]

    def mark(self, at: int, count: int, name: str, value: Any = True, expand: str = "after") -> None:
        """
        Marks characters with a name and a value; None takes the mark away. What others type at its ends later is marked too:
        behind the last one (`after`), before the first one (`before`), `both`, or neither (`none`).
        """
        if expand not in EXPAND:
            raise ValueError(f"expand is one of {', '.join(EXPAND)}, not {expand}")
        characters = self._within(at, count)
        data = packed(value)
        if not 1 <= len(name.encode()) <= n.MARK_NAME_BYTES or len(data) > n.MARK_VALUE_BYTES:
            raise ValueError("the name of a mark has 1 to 256 bytes, and its value at most 16 KiB")
        if count == 0:
            return
        end = at + count
        is_open_before, is_open_behind = EXPAND[expand]
        if is_open_before:
            start = characters[at - 1][-1] if at else None
        else:
            start = characters[at][0]
        if is_open_behind:
            stop = characters[end][0] if end < len(characters) else None
        else:
            stop = characters[end - 1][-1]
        sides = (n.BEHIND_FROM if is_open_before else 0) | (0 if is_open_behind else n.BEHIND_TO)
        replica = self._room.replica
        anchor, target = (None if one is None else ref_to(replica, one) for one in (start, stop))
        self._room.write([Op(n.MARK, self.key, anchor=anchor, target=target, count=sides, text=name, value=data)])

    def unmark(self, at: int, count: int, name: str, expand: str = "after") -> None:
        self.mark(at, count, name, None, expand)

    def _within(self, at: int, count: int) -> list[list[Element]]:
        characters = self._characters()
        if at < 0 or count < 0 or at + count > len(characters):
            raise IndexError(f"{count} characters from {at} are not in a text of {len(characters)}")
        return characters

    def delete(self, at: int, count: int = 1) -> None:
        characters = self._within(at, count)
        units = [unit for character in characters[at : at + count] for unit in character]
        if units:
            self._room.write(deletions(self._room.replica, n.TEXT_DELETE, self.key, units))


class ListView(Sequence[Any]):
    """A list whose items can be moved."""

    def __init__(self, room: Writer, key: str) -> None:
        self._room = room
        self.key = key

    @property
    def _items(self) -> Items | None:
        return self._room.replica.document.lists.get(self.key)

    def _seats(self) -> list[Element]:
        return self._items.visible() if self._items else []

    def __len__(self) -> int:
        return len(self._seats())

    def __getitem__(self, at: Any) -> Any:
        items = self._items
        if isinstance(at, slice):
            return [unpacked(value) for value in (items.read() if items else [])[at]]
        seat = self._seats()[at]
        assert items is not None
        return unpacked(items.item_on(seat).content)

    def insert(self, at: int, *values: Any) -> None:
        seats = self._seats()
        if not 0 <= at <= len(seats):
            raise IndexError(f"there is no place {at} in a list of {len(seats)} items")
        if not values:
            return
        anchor, is_right = insertion(self._room.replica, self._items, seats[at - 1] if at else None)
        kind = n.LIST_RIGHT if is_right else n.LIST_LEFT
        self._room.write([Op(kind, self.key, anchor=anchor, values=tuple(map(packed, values)))])

    def append(self, *values: Any) -> None:
        self.insert(len(self), *values)

    def delete(self, at: int, count: int = 1) -> None:
        seats, items = self._seats(), self._items
        if at < 0 or count < 0 or at + count > len(seats):
            raise IndexError(f"{count} items from {at} are not in a list of {len(seats)}")
        if items and count:
            gone = [items.item_on(seat) for seat in seats[at : at + count]]
            self._room.write(deletions(self._room.replica, n.LIST_DELETE, self.key, gone))

    def move(self, at: int, to: int) -> None:
        """Puts the item at `at` where it then has the index `to`."""
        seats, items = self._seats(), self._items
        if not (0 <= at < len(seats) and 0 <= to < len(seats)) or items is None:
            raise IndexError(f"{at} or {to} is no place in a list of {len(seats)} items")
        if at == to:
            return
        others = seats[:at] + seats[at + 1 :]
        anchor, is_right = insertion(self._room.replica, items, others[to - 1] if to else None)
        kind = n.MOVE_RIGHT if is_right else n.MOVE_LEFT
        item = ref_to(self._room.replica, items.item_on(seats[at]))
        self._room.write([Op(kind, self.key, target=item, anchor=anchor)])


class MapView(MutableMapping[str, Any]):
    """The registers under `name/`, as a map: each merges by itself."""

    def __init__(self, room: Writer, name: str) -> None:
        self._room = room
        self._prefix = f"{name}/"

    def __getitem__(self, key: str) -> Any:
        op = self._room.replica.document.value_of(self._prefix + key)
        if op is None:
            raise KeyError(key)
        return shown(op)

    def __setitem__(self, key: str, value: Any) -> None:
        self._room.write([Op(n.SET, self._prefix + key, value=packed(value))])

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._room.write([Op(n.DELETE, self._prefix + key)])

    def __iter__(self) -> Iterator[str]:
        registers = self._room.replica.document.registers
        live = [key for key, written in registers.items() if not written.is_deleted and key.startswith(self._prefix)]
        return iter(sorted(key.removeprefix(self._prefix) for key in live))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._room.replica.document.value_of(self._prefix + key) is not None
