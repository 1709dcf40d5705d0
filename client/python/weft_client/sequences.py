"""Texts and lists: trees in the manner of Fugue. [SQ1] [SQ2] [LS1] [SH3]"""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass

from .graph import Key, Placed
from .state_tree import tree_root
from .wire import pack_text, varint

BLOCK = 64

# Most that all parts of a text say together. [MK6]
MOST_SAID = 1_000_000
RIGHT, DELETED, NEAR, AT_START = 1, 2, 4, 8


@dataclass(eq=False)
class Element:
    """One code unit, or one seat of a list; the root of the tree is none."""

    __slots__ = ("placed", "offset", "parent", "is_right", "content", "deleted", "left", "right")

    placed: Placed
    offset: int
    parent: Element | None
    is_right: bool
    content: bytes
    """Code unit, big-endian, or MessagePack of an item; empty on the seat of a moved one."""
    deleted: bool
    left: list[Element] | None
    right: list[Element] | None

    @property
    def counter(self) -> int:
        return self.placed.counter + self.offset

    def __lt__(self, other: Element) -> bool:
        """Order of siblings and of moves: the smaller stands further left, the greater move wins."""
        return (*self.placed.key, self.counter) < (*other.placed.key, other.counter)


class Sequence:
    """Elements in the order of their tree, hidden ones too."""

    def __init__(self) -> None:
        self.elements: dict[tuple[bytes, int], Element] = {}
        self._first: list[Element] = []
        self._order: list[Element] | None = []
        self._leaf: bytes | None = None

    def changed(self) -> None:
        """Whatever the hash is made of is another one now."""
        self._leaf = None

    def find(self, placed: Placed, offset: int) -> Element | None:
        return self.elements.get((placed.node.id, offset))

    def insert(self, parent: Element | None, is_right: bool, placed: Placed, offset: int, contents: list[bytes]) -> None:
        """Puts new elements beside one, each further one the right child of the one before."""
        made = []
        for content in contents:
            element = Element(placed, offset, parent, is_right, content, False, None, None)
            insort(self._siblings(element), element)
            self.elements[placed.node.id, offset] = element
            made.append(element)
            parent, is_right, offset = element, True, offset + 1
        self.changed()
        self._put(made)

    def _siblings(self, element: Element) -> list[Element]:
        parent = element.parent
        if parent is None:
            return self._first
        if element.is_right:
            parent.right = parent.right if parent.right is not None else []
            return parent.right
        parent.left = parent.left if parent.left is not None else []
        return parent.left

    def _put(self, made: list[Element]) -> None:
        """An only child stands beside its parent; anything else needs a walk through the tree, when somebody reads."""
        if self._order is None:
            return
        first = made[0]
        if len(self._siblings(first)) > 1:
            self._order = None
        elif first.parent is None or (first.is_right and first.parent is self._order[-1]):
            self._order += made
        else:
            place = self._order.index(first.parent) + (1 if first.is_right else 0)
            self._order[place:place] = made

    def order(self) -> list[Element]:
        if self._order is None:
            self._order = list(walk(self._first))
        return self._order

    def visible(self) -> list[Element]:
        return [element for element in self.order() if not element.deleted]

    def anchor(self, left: Element | None) -> tuple[Element | None, bool]:
        """What a new element behind `left`, or at the start, is the right or left child of. [SQ4]"""
        if not (self._first if left is None else left.right):
            return left, True
        order = self.order()
        return order[0 if left is None else order.index(left) + 1], False

    def hash(self) -> bytes | None:
        """Root of the tree of blocks; None without elements. [SH3]"""
        if self._leaf is None and self.elements:
            self._leaf = tree_root(dict(map(self._block, self._blocks().items())))
        return self._leaf

    def _blocks(self) -> dict[tuple[bytes, int], list[Element]]:
        blocks: dict[tuple[bytes, int], list[Element]] = {}
        for element in self.elements.values():
            blocks.setdefault((element.placed.branch, element.counter // BLOCK), []).append(element)
        return blocks

    def _block(self, block: tuple[tuple[bytes, int], list[Element]]) -> tuple[bytes, bytes]:
        (branch, number), elements = block
        elements.sort(key=lambda element: element.counter)
        name = branch + varint(number)
        runs = b"".join(self._run(run, branch) for run in runs_of(elements))
        path = hashlib.sha256(b"weft-block-path-v1\0" + name).digest()
        return path, hashlib.sha256(b"weft-block-v1\0" + name + runs).digest()

    def _run(self, run: list[Element], branch: bytes) -> bytes:
        first = run[0]
        flags = (RIGHT if first.is_right else 0) | (DELETED if first.deleted else 0)
        parent = b""
        if first.parent is None:
            flags |= AT_START
        else:
            parent = varint(first.parent.counter)
            if first.parent.placed.branch == branch:
                flags |= NEAR
            else:
                parent += first.parent.placed.branch
        head = bytes([first.counter % BLOCK, len(run), flags]) + parent
        return head if first.deleted else head + b"".join(map(self.hashed, run))

    def hashed(self, element: Element) -> bytes:
        """What the hash says of a visible element's content."""
        return element.content


def walk(first: list[Element]) -> Iterator[Element]:
    """Left children, element, right children, without recursion."""
    open_elements = [(element, False) for element in reversed(first)]
    while open_elements:
        element, left_done = open_elements.pop()
        if not left_done and element.left:
            open_elements.append((element, True))
            open_elements += [(child, False) for child in reversed(element.left)]
            continue
        yield element
        if element.right:
            open_elements += [(child, False) for child in reversed(element.right)]


def runs_of(elements: list[Element]) -> Iterator[list[Element]]:
    run: list[Element] = []
    for element in elements:
        if run and not continues(run[-1], element):
            yield run
            run = []
        run.append(element)
    yield run


def continues(before: Element, element: Element) -> bool:
    follows = element.counter == before.counter + 1 and element.parent is before
    return follows and element.is_right and element.deleted == before.deleted


@dataclass(frozen=True)
class MarkEnd:
    """Where a range begins or ends: before or behind an element, or at an end of the text."""

    element: Element | None
    behind: bool

    def name(self) -> bytes:
        if self.element is None:
            return bytes([self.behind | 2])
        return bytes([self.behind]) + self.element.placed.node.id + varint(self.element.offset)


@dataclass(frozen=True)
class Mark:
    """A write on a range. [MK1]"""

    placed: Placed
    index: int
    start: MarkEnd
    end: MarkEnd
    name: str
    value: bytes

    @property
    def key(self) -> tuple[Key, int]:
        return self.placed.key, self.index

    def range(self) -> bytes:
        return self.start.name() + self.end.name() + pack_text(self.name)


class Text(Sequence):
    def __init__(self) -> None:
        super().__init__()
        self._marks: dict[bytes, Mark] = {}

    def mark(self, mark: Mark) -> None:
        """Writes of one name on one range are weighed as those of a register."""
        held = self._marks.get(mark.range())
        if held is None or held.key < mark.key:
            self._marks[mark.range()] = mark

    def spans(self) -> list[tuple[str, dict[str, bytes]]]:
        """The text as parts that are marked alike, with values by name as MessagePack. [MK1]"""
        places = {id(element): at for at, element in enumerate(self.order())}
        said: list[dict[str, bytes]] = [{} for _ in places]
        ranges: list[tuple[int, int, Mark]] = []
        for mark in sorted(self._marks.values(), key=lambda mark: mark.key):
            start, end = mark.start, mark.end
            first = places[id(start.element)] + start.behind if start.element else 0
            last = places[id(end.element)] + end.behind if end.element else len(said)
            ranges.append((first, last, mark))
        if self._say_too_much(ranges):
            ranges = []
        for first, last, mark in ranges:
            for names in said[first:last]:
                names.pop(mark.name, None)
                if mark.value != b"\xc0":
                    names[mark.name] = mark.value
        spans: list[tuple[bytes, dict[str, bytes]]] = []
        for element, names in zip(self.order(), said):
            if element.deleted:
                continue
            if spans and spans[-1][1] == names:
                spans[-1] = (spans[-1][0] + element.content, names)
            else:
                spans.append((element.content, names))
        return [(content.decode("utf-16-be", "surrogatepass"), names) for content, names in spans]

    def _say_too_much(self, ranges: list[tuple[int, int, Mark]]) -> bool:
        """Whether the pieces into which ranges cut the text say more together than is shown. [MK6]"""
        before = [0]
        for element in self.order():
            before.append(before[-1] + (not element.deleted))
        borders: dict[int, list[tuple[str, int]]] = {}
        for first, last, mark in ranges:
            if first < last and before[first] < before[last]:
                borders.setdefault(before[first], []).append((mark.name, 1))
                borders.setdefault(before[last], []).append((mark.name, -1))
        ranges_of: dict[str, int] = {}
        said = names = 0
        for at in sorted(borders):
            for name, step in borders[at]:
                held = ranges_of.get(name, 0)
                ranges_of[name] = held + step
                names += (held + step > 0) - (held > 0)
            said += names
        return said > MOST_SAID

    def hash(self) -> bytes | None:
        """Root of the tree of blocks, and behind it that of marks where there are any. [SH4]"""
        if not self._marks:
            return super().hash()
        leaves = {}
        for name, mark in self._marks.items():
            path = hashlib.sha256(b"weft-mark-path-v1\0" + name).digest()
            write = mark.placed.node.id + varint(mark.index) + pack_text(mark.name) + mark.value
            leaves[path] = hashlib.sha256(b"weft-mark-v1\0" + path + write).digest()
        return (super().hash() or tree_root({})) + tree_root(leaves)

    def delete(self, element: Element) -> None:
        element.deleted = True
        self.changed()

    def read(self) -> str:
        return b"".join(element.content for element in self.visible()).decode("utf-16-be", "surrogatepass")


@dataclass(eq=False)
class Moved:
    item: Element
    seat: Element
    deleted: bool


class Items(Sequence):
    """A list: seats, each held by an item; the greatest move of an item wins. [LS1]"""

    def __init__(self) -> None:
        super().__init__()
        self._moved: dict[Element, Moved] = {}
        self._on: dict[Element, Moved] = {}
        """Seats that a move made, won or lost."""

    def is_item(self, element: Element) -> bool:
        return element not in self._on

    def item_on(self, seat: Element) -> Element:
        moved = self._on.get(seat)
        return moved.item if moved else seat

    def delete(self, item: Element) -> None:
        if not self.is_item(item):
            return
        moved = self._moved.get(item)
        if moved:
            moved.deleted = True
        (moved.seat if moved else item).deleted = True
        self.changed()

    def move(self, item: Element, seat: Element) -> None:
        """The newest element is another seat for an item."""
        moved = self._moved.get(item)
        is_first = moved is None
        if moved is None:
            moved = self._moved[item] = Moved(item, item, item.deleted)
        self._on[seat] = moved
        if is_first or moved.seat < seat:
            moved.seat.deleted = True
            seat.deleted = moved.deleted
            moved.seat = seat
        else:
            seat.deleted = True
        self.changed()

    def read(self) -> list[bytes]:
        return [self.item_on(seat).content for seat in self.visible()]

    def hashed(self, element: Element) -> bytes:
        moved = self._on.get(element)
        content = self.item_on(element).content
        named = b"\1" + moved.item.placed.node.id + varint(moved.item.offset) if moved else b"\0"
        return named + varint(len(content)) + content
