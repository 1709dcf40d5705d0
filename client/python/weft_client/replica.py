"""Replica of a room: takes in what comes, writes, and knows what no server has confirmed. [RE1] [RE3] [HD2] [VE2] [CL2]

It checks form, ancestors, seals and who may write the system's keys. Whether a policy let an author write is left to the server.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from . import nodes as n
from .authority import ALL_ROOMS, FOUNDER, Authority, read_mandate
from .reign import NONE as NO_RECOVERY
from .reign import Reign
from .crypto import Keys, seal_message, verify
from .document import Document, is_system_key, unpacked
from .faults import DecodeError, GenesisMismatch, Refused, WeftError
from .graph import Graph, Placed
from .log import Log
from .nodes import Node, Op, Ref
from .packs import Pack, decode_pack, encode_rows

GENESIS, ADOPTED, ERASED, BLANKED = "\0genesis", "\0adopted/", "\0erased/", "\0blanked/"
RUN_NODES, PUSH_BYTES = 1024, 1 << 20
FOR_NOW = ("unsealed", "missing-parent", "run-refused")
"""Reasons for which a node is offered again; any other is for good."""


@dataclass(frozen=True)
class Push:
    """Nodes that are on their way together, sealed."""

    pack: bytes
    nodes: tuple[bytes, ...]


def read_genesis(node: Node) -> dict[str, Any]:
    """What a room's first node says. [GN1]"""
    is_first = node.room == n.NO_ID and node.prev is None and not node.parents and len(node.ops) == 1
    if not is_first or (node.ops[0].kind, node.ops[0].key) != (n.SET, GENESIS):
        raise DecodeError("not the genesis of a room")
    says = unpacked(node.ops[0].value)
    if not isinstance(says, dict):
        raise DecodeError("not the genesis of a room")
    authorities = says.get("authorities", ())
    if node.author.hex() not in authorities:
        founding = read_mandate(FOUNDER, says.get("founding"))
        if (founding.key, founding.scope) != (node.author, ALL_ROOMS) or founding.giver.hex() not in authorities:
            raise DecodeError("the genesis of a room by who may not begin one")
    return says


class Replica:
    def __init__(self, keys: Keys, log: Log | None = None) -> None:
        self.keys = keys
        self._log = log
        self._is_log_old = False
        """Whether the log holds what was given up here: the disk has not taken what replaces it."""
        self.graph = Graph()
        self.genesis: bytes | None = None
        self.unconfirmed: list[bytes] = []
        """Own nodes that no server has confirmed, in their order."""
        self._sent: set[bytes] = set()
        self._tip: bytes | None = None
        self._authority = Authority(self.graph, b"", Reign(frozenset()))
        self._adopted: set[str] = set()
        self._erased: set[bytes] = set()
        self._blanked: dict[bytes, set[str]] = {}
        """Keys under which nodes are to say nothing any more."""
        self.document = Document(self.graph, b"")
        for node in log.read() if log else ():
            if not self.graph.order:
                self._begin(node)
            else:
                self._take(node)
            if node.author == keys.public:
                self.unconfirmed.append(node.id)

    def begin(self, pack: bytes) -> None:
        """Takes the genesis that a server names; another one than was kept is refused. [CL3]"""
        held = decode_pack(pack)
        if len(held.nodes) != 1 or not self._sealed(held):
            raise DecodeError("the genesis of the room has no seal")
        genesis = held.nodes[0]
        if self.genesis is None:
            self._begin(genesis)
            self._keep([genesis])
        elif genesis.id != self.genesis:
            raise GenesisMismatch("the server has another room of that name: open it in another folder")

    def _begin(self, genesis: Node) -> None:
        says = read_genesis(genesis)
        recovery = bytes.fromhex(says.get("recovery") or "") or NO_RECOVERY
        self._authority = Authority(self.graph, genesis.id, Reign(frozenset(says["authorities"]), recovery))
        self._adopted = set((says.get("lineage") or {}).get("adopted", ()))
        self.genesis = genesis.id
        self.document = Document(self.graph, genesis.id)
        self._take(genesis)

    # What comes.

    def receive(self, data: bytes) -> list[Node]:
        """Takes in a pack of a server; answers the nodes that are new here."""
        pack = decode_pack(data)
        covered = self._sealed(pack)
        if any(node.withheld is not None for node in pack.nodes):
            self._check_headers(pack)
        new: list[Node] = []
        is_stale = False
        try:
            for node in pack.nodes:
                known = self.graph.nodes.get(node.id)
                if known and not self._fills(known.node, node):
                    continue
                if node.withheld is None and node.id not in covered:
                    raise DecodeError("a node without a seal")
                self._check(node)
                if known:
                    self._check_header(known.node, node)
                    known.node = node
                    is_stale = True
                else:
                    self._take(node)
                new.append(node)
        finally:  # what stands before a wrong one is held, and what is written here stands on it
            if is_stale:
                self._refold()
            if self._erase() or is_stale:
                self._rewrite_log()
            else:
                self._keep(new)
        return new

    def _sealed(self, pack: Pack) -> set[bytes]:
        """Nodes that a seal of the pack covers, through `prev` links alone. [SL3] [PK9]"""
        by_name = {node.id: node for node in pack.nodes}
        covered: set[bytes] = set()
        for index, signature in reversed(pack.seals):
            node: Node | None = pack.nodes[index]
            if node is None or node.id in covered:
                continue
            if not verify(node.author, seal_message(node.id), signature):
                raise DecodeError("a seal is wrong")
            author = node.author
            while node and node.author == author and node.id not in covered:
                covered.add(node.id)
                node = by_name.get(node.prev) if node.prev else None
        return covered

    def _fills(self, held: Node, node: Node) -> bool:
        """Whether a node says more than the header that is held of it, and may. [HD3] [VE2]"""
        if held.withheld is None:
            return False
        if node.withheld is not None:
            return bool(node.ops) and not held.ops
        return node.id not in self._erased and node.id not in self._blanked

    def _check_headers(self, pack: Pack) -> None:
        """Headers are taken on the word of an authority alone. [HD2]"""
        authority, signature = pack.attestation or (b"", b"")
        said = hashlib.sha256()
        tells_ops = any(node.withheld is not None and node.ops for node in pack.nodes)
        for node in pack.nodes:
            if node.withheld is not None:
                said.update(node.id + node.room + node.author + (node.prev or n.NO_ID))
                said.update(node.withheld.to_bytes(4, "big") + len(node.parents).to_bytes(4, "big"))
                said.update(b"".join(node.parents))
                if tells_ops:
                    ops = n.canonical_ops(node) if node.ops else b""
                    said.update(len(ops).to_bytes(4, "big") + ops)
        is_theirs = self._authority.vouches(authority, pack.certificate)
        tag = b"weft-headers-v2\0" if tells_ops else b"weft-headers-v1\0"
        if not is_theirs or not verify(authority, tag + said.digest(), signature):
            raise DecodeError("headers for which no authority of the room vouches")

    def _check_header(self, header: Node, node: Node) -> None:
        links = (node.room, node.author, node.prev, node.parents, node.elements)
        if (header.room, header.author, header.prev, header.parents, header.withheld) != links:
            raise DecodeError("a node is not what its header said")

    def _check(self, node: Node) -> None:
        """Room of a node, and who wrote the system's keys in it. [AD4] [AD5] [TP2]"""
        is_own = node.room == self.genesis
        if not is_own and (node.id if node.room == n.NO_ID else node.room).hex() not in self._adopted:
            raise DecodeError("a node of another room")
        if is_own:
            self._authority.check(node)

    def _take(self, node: Node) -> Placed:
        placed = self.graph.add(node)
        self.document.apply(placed)
        if node.author == self.keys.public and node.room == self.genesis and node.prev == self._tip:
            self._tip = node.id
        if node.room == self.genesis:
            self._authority.take(placed)
            for op in node.ops:
                if op.kind == n.SET and op.key.startswith(ADOPTED):
                    self._adopted.add(op.key.removeprefix(ADOPTED))
                elif op.kind == n.SET and op.key.startswith(ERASED):
                    self._erased.update(map(bytes.fromhex, unpacked(op.value)["nodes"]))
                elif op.kind == n.SET and op.key.startswith(BLANKED):
                    fact = unpacked(op.value)
                    for name in map(bytes.fromhex, fact["nodes"]):
                        self._blanked.setdefault(name, set()).add(fact["key"])
        return placed

    def _erase(self) -> bool:
        """Gives up the ops of nodes that hold what was erased from the room. [VE2]"""
        whole = [self.graph.nodes[name] for name in self._erased if name in self.graph]
        whole = [placed for placed in whole if placed.node.withheld is None]
        for placed in whole:
            placed.node = placed.node.header()
        changed = bool(whole)
        for name, keys in self._blanked.items():
            held = self.graph.nodes[name].node if name in self.graph else None
            if held and held.ops:
                left = held.blanked(keys)
                changed = changed or held.withheld is None or left.ops != held.ops
                self.graph.nodes[name].node = left
        if changed:
            self._refold()
        return changed

    def _refold(self) -> None:
        self.document = Document(self.graph, self.genesis or b"")
        for placed in self.graph.order:
            self.document.apply(placed)

    def _keep(self, nodes: Sequence[Node]) -> None:
        if self._log and nodes and not self._is_log_old:
            self._log.owe(nodes)

    def _rewrite_log(self) -> None:
        self._is_log_old = self._log is not None
        with suppress(OSError):  # it is tried again before anything is written or sent
            self._renew_log()

    def _renew_log(self) -> None:
        if self._log and self._is_log_old:
            self._log.replace(placed.node for placed in self.graph.order)
            self._is_log_old = False

    # What is written here.

    def holds_own(self, placed: Placed, counter: int) -> bool:
        """Whether the next node of this author names an element of `placed` by this counter."""
        if placed.node.author != self.keys.public or self._tip is None:
            return False
        return self.graph.nodes[self._tip].holder(counter) is placed

    def write(self, ops: Sequence[Op]) -> None:
        """Writes a node that stands on everything that is held here."""
        for op in ops:
            if is_system_key(op.key):
                raise ValueError("keys that begin with NUL or _topology/ are the system's")
        node = self._make(ops)
        self._renew_log()
        if self._log:
            self._log.add([node])
        self._take_own(node)

    def _make(self, ops: Sequence[Op]) -> Node:
        if self.genesis is None:
            raise WeftError("this room was never joined: nothing can be written before its genesis is known")
        parents = sorted(self.graph.heads - {self._tip})[: n.MOST_PARENTS]
        begins_run = not any(name not in self._sent for name in self.unconfirmed)
        wall_ms = time.time_ns() // 1_000_000 if begins_run else None
        node = Node(self.genesis, self.keys.public, self._tip, tuple(parents), wall_ms, tuple(ops))
        data = n.canonical(node)
        if n.read_node(data).id != node.id:
            raise DecodeError("what was written has no canonical form")
        return node

    def _take_own(self, node: Node) -> None:
        self._take(node)
        self.unconfirmed.append(node.id)

    def next_push(self) -> Push | None:
        """The next of what was not sent, at most one run; on the disk before it leaves."""
        nodes: list[bytes] = []
        rows: list[bytes] = []
        size = 0
        for name in self.unconfirmed:
            if name in self._sent:
                continue
            row = n.canonical(self.graph.nodes[name].node)
            if rows and (len(rows) == RUN_NODES or size + len(row) > PUSH_BYTES):
                break
            nodes.append(name)
            rows.append(row)
            size += len(row)
        if not rows:
            return None
        self._renew_log()
        if self._log:
            self._log.sync()
        self._sent.update(nodes)
        seal = (len(rows) - 1, self.keys.sign(seal_message(nodes[-1])))
        return Push(encode_rows(rows, [seal]), tuple(nodes))

    def resend(self) -> None:
        """Whatever was sent may not have arrived."""
        self._sent.clear()

    def confirm(self, names: Sequence[bytes]) -> None:
        held = set(names)
        self.unconfirmed = [name for name in self.unconfirmed if name not in held]
        self._sent -= held

    def confirm_to(self, name: bytes) -> None:
        """A server holds this node, and so what its author wrote before."""
        number = self.graph.nodes[name].number
        self.confirm([own for own in self.unconfirmed if self.graph.nodes[own].number <= number])

    def lost(self, names: AbstractSet[bytes]) -> None:
        """Own nodes that a server should hold and does not: they are offered again."""
        own = [p.node.id for p in self.graph.order if p.node.author == self.keys.public and p.node.withheld is None]
        kept = set(self.unconfirmed)
        self.unconfirmed = [name for name in own if name in names or name in kept]
        self.resend()

    def refuse(self, push: Push, reasons: dict[bytes, str]) -> list[Refused]:
        """What became of a push: confirmed, offered again, or given up; answers what was given up."""
        self.confirm([name for name in push.nodes if name not in reasons])
        self._sent -= set(push.nodes)
        gone = {name: reason for name, reason in reasons.items() if reason not in FOR_NOW and name in self.unconfirmed}
        return self._give_up(gone) if gone else []

    def _give_up(self, gone: dict[bytes, str]) -> list[Refused]:
        """Takes nodes out. What this author wrote behind them is written anew, as far as it stands without them."""
        told = [refused(self.graph.nodes[name].node, reason) for name, reason in gone.items()]
        old = self.graph
        first = min(old.nodes[name].number for name in gone)
        behind = [old.nodes[name] for name in self.unconfirmed if old.nodes[name].number >= first]
        out = {placed.node.id for placed in behind}
        kept = [placed.node for placed in old.order if placed.node.id not in out]
        self.unconfirmed = [name for name in self.unconfirmed if name not in out]
        self.graph = Graph()
        self._tip = None
        self.document = Document(self.graph, self.genesis or b"")
        self._authority = Authority(self.graph, self.genesis or b"", self._authority.first)
        for node in kept:
            self._take(node)
        renamed: dict[bytes, bytes] = {}
        for placed in behind:
            if placed.node.id in gone:
                continue
            ops = rewritten(old, placed, out, renamed)
            if ops is None:
                told.append(refused(placed.node, "stands-on-refused"))
            elif ops:
                again = self._make(ops)
                self._take_own(again)
                renamed[placed.node.id] = again.id
        self._rewrite_log()
        return told

    def hello(self) -> dict[str, Any]:
        """What a hello says of what is held here. [CL2]"""
        own = set(self.unconfirmed)
        order = self.graph.order
        known = {name for name in self.graph.heads if name not in own}
        back = 1
        while back < len(order):
            known.add(order[-back].node.id)
            back *= 4
        known.discard(self.genesis or b"")
        frontier = self.graph.heads - {self.genesis}
        return {"frontier": sorted(name.hex() for name in frontier), "known": sorted(name.hex() for name in known)}


def refused(node: Node, reason: str) -> Refused:
    return Refused(node.id.hex(), reason, tuple(dict.fromkeys(op.key for op in node.ops)))


def rewritten(old: Graph, placed: Placed, out: set[bytes], renamed: dict[bytes, bytes]) -> list[Op] | None:
    """Ops of a node whose predecessor is gone, with elements named by their nodes; None where one names what is gone."""

    def named(holder: Placed, counter: int) -> Ref:
        inserted = holder.holder(counter)
        if inserted is None or (inserted.node.id in out and inserted.node.id not in renamed):
            raise KeyError(counter)
        name = inserted.node.id
        return renamed.get(name, name), counter - inserted.counter

    def place(ref: Ref) -> tuple[Placed, int]:
        if isinstance(ref, int):
            return placed, ref
        holder = old.nodes[ref[0]]
        return holder, holder.counter + ref[1]

    ops: list[Op] = []
    try:
        for op in placed.node.ops:
            anchor = None if op.anchor is None else named(*place(op.anchor))
            if op.target is None:
                ops.append(replace(op, anchor=anchor))
            elif op.kind in n.MOVES or op.kind == n.MARK:
                ops.append(replace(op, anchor=anchor, target=named(*place(op.target))))
            else:
                holder, last = place(op.target)
                names = [named(holder, counter) for counter in range(last, last - op.count, -1)]
                ops += [replace(op, target=name, count=1) for name in names]
    except KeyError:
        return None
    return ops
