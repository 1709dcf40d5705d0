"""Nodes in their order, and what each one's author had seen. [ND3] [ND7] [HS4]

A line is a stretch of an author's chain on which every node has one successor here. What a node has seen is how far it has seen
each line, so asking whether one node was known to another takes one look.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right, insort
from dataclasses import dataclass, field

from .faults import DecodeError
from .nodes import Node

Key = tuple[int, bytes, bytes]
"""Place in the canonical order: lamport, author, id."""


@dataclass(eq=False)
class Line:
    prev: Placed | None
    nodes: list[Placed] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    """Places of the nodes that begin a branch: they have siblings, or are the first of all."""


@dataclass(eq=False)
class Placed:
    node: Node
    line: Line
    at: int
    """Place on its line."""
    counter: int
    lamport: int
    seen: dict[Line, int]
    """Last place of each other line that its author had seen; shared with the nodes before it on the line."""
    number: int

    @property
    def key(self) -> Key:
        return self.lamport, self.node.author, self.node.id

    def knows(self, other: Placed) -> bool:
        """Whether `other` is in the causal past of this node."""
        if other.line is self.line:
            return other.at < self.at
        return self.seen.get(other.line, -1) >= other.at

    @property
    def branch(self) -> bytes:
        """Id of the nearest node along `prev`, its own included, that has siblings, or of the first of all. [SH3]"""
        line, at = self.line, self.at
        place = bisect_right(line.branches, at) - 1
        return line.nodes[line.branches[place]].node.id

    def holder(self, counter: int) -> Placed | None:
        """The node that inserted the element which this node's author counts so; None for one that is not there."""
        line, last = self.line, self.at
        while True:
            if counter >= line.nodes[0].counter:
                found = bisect_right(line.nodes, counter, hi=last + 1, key=lambda placed: placed.counter) - 1
                # Nodes that insert nothing have the counter of the next one.
                placed = line.nodes[found]
                return placed if counter < placed.counter + placed.node.elements else None
            prev = line.prev
            if prev is None:
                return None
            line, last = prev.line, prev.at


class Graph:
    def __init__(self) -> None:
        self.nodes: dict[bytes, Placed] = {}
        self.order: list[Placed] = []
        self.heads: set[bytes] = set()
        self.forks = 0
        """How many nodes have begun a line beside another one."""

    def __contains__(self, name: bytes) -> bool:
        return name in self.nodes

    def lacks(self, node: Node) -> bool:
        """Whether something that the node stands on is not here."""
        return any(name not in self.nodes for name in before(node))

    def add(self, node: Node) -> Placed:
        if self.lacks(node):
            raise DecodeError("a node without its ancestors")
        prev = self.nodes[node.prev] if node.prev else None
        if prev and (prev.node.room, prev.node.author) != (node.room, node.author):
            raise DecodeError("the node before is another author's, or of another room")
        parents = [self.nodes[name] for name in node.parents]
        lamport = 1 + max((placed.lamport for placed in [*parents, *([prev] if prev else [])]), default=0)
        counter = prev.counter + prev.node.elements if prev else 0
        line = prev.line if prev and prev.at == len(prev.line.nodes) - 1 else Line(prev)
        seen = self._seen(prev, parents, line)
        placed = Placed(node, line, len(line.nodes), counter, lamport, seen, len(self.order))
        line.nodes.append(placed)
        if placed.at == 0:
            line.branches.append(placed.at)
            if prev:
                self._branch(prev.line, prev.at + 1)
                self.forks += 1
        self.nodes[node.id] = placed
        self.order.append(placed)
        self.heads.difference_update(before(node))
        self.heads.add(node.id)
        return placed

    def _branch(self, line: Line, at: int) -> None:
        """The node at that place has got a sibling."""
        if at not in line.branches:
            insort(line.branches, at)

    def _seen(self, prev: Placed | None, parents: list[Placed], line: Line) -> dict[Line, int]:
        seen: dict[Line, int] = {}
        if prev:
            seen = prev.seen
            if prev.line is not line:
                seen = {**seen, prev.line: prev.at}
        if not parents:
            return seen
        seen = dict(seen)
        for parent in parents:
            for other, at in [*parent.seen.items(), (parent.line, parent.at)]:
                if at > seen.get(other, -1):
                    seen[other] = at
        return seen

    def root(self) -> bytes:
        """SHA-256 of the sorted heads."""
        return hashlib.sha256(b"".join(sorted(self.heads))).digest()

    def beyond(self, known: set[bytes]) -> list[Placed]:
        """What is neither named nor an ancestor of what is, in order."""
        open_names = [name for name in known if name in self.nodes]
        held: set[bytes] = set()
        while open_names:
            name = open_names.pop()
            if name not in held:
                held.add(name)
                open_names += before(self.nodes[name].node)
        return [placed for placed in self.order if placed.node.id not in held]


def before(node: Node) -> list[bytes]:
    return [*node.parents, *([node.prev] if node.prev else [])]
