"""A room over a WebSocket: joins, keeps what is held here and on the server alike, and comes again after a break. [CL1] to [CL8]"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

from websockets.client import connect
from websockets.exceptions import WebSocketException

from . import nodes as n
from .connection import ANSWER_WAIT, Connection, Frame, Lost, as_bytes, field, ids
from .crypto import Keys, sign_proof
from .faults import DecodeError, GenesisMismatch, JoinRefused, Refused, RefusedEdits, RoomClosed
from .log import Log
from .nodes import Op
from .reconcile import Initiator
from .replica import Push, Replica
from .views import ListView, MapView, TextView, packed, shown

FIRST_WAIT, LONGEST_WAIT, STEADY = 0.5, 30.0, 5.0
MOST_FRAME = 64 << 20

Token = dict[str, Any] | str
TokenSource = Token | Callable[[], Awaitable[Token]] | None


@dataclass(frozen=True)
class Peer:
    pubkey: str
    peer_id: str
    peer_type: str
    proven: bool


@dataclass(frozen=True)
class Standing:
    """What a server has of what a hello has named."""

    offered: tuple[bytes, ...]
    """Own nodes that no server had confirmed then."""
    known: frozenset[bytes]
    lacking: frozenset[bytes]


async def open_room(
    url: str,
    keys: Keys,
    *,
    folder: str | Path | None = None,
    token: TokenSource = None,
    subscribe: Sequence[str] | None = None,
    peer_type: str = "python",
) -> Room:
    """Opens the room of `ws://host:port/ws/<room>`. With a folder that holds it, it is there at once and goes on without a
    network; otherwise this waits until the server has sent all of it.

    `token` is what an administrator has made (`sign_token`), or what gives a fresh one for each connection.
    """
    room = Room(url, keys, Log(folder) if folder is not None else None, token, subscribe, peer_type)
    if not room.is_known:
        try:
            await room.joined()
        except BaseException:
            await room.close()
            raise
    return room


class Room:
    def __init__(
        self,
        url: str,
        keys: Keys,
        log: Log | None,
        token: TokenSource,
        subscribe: Sequence[str] | None,
        peer_type: str,
    ) -> None:
        place = urlsplit(url)
        if place.scheme not in ("ws", "wss") or not place.path.rpartition("/")[2]:
            raise ValueError(f"{url} is no address of a room: ws://host:port/ws/<room>")
        self._url = url
        self._name = unquote(place.path.rpartition("/")[2])
        self._audience = place.netloc.rpartition("@")[2].lower()
        self._keys, self._log, self._token = keys, log, token
        self._subscribe, self._peer_type = subscribe, peer_type
        self._spread = 0.0
        self.replica = Replica(keys, log)
        self.peers: dict[str, Peer] = {}
        """Who else is here, by session."""
        self.presence: dict[str, Any] = {}
        """What others show of the moment, by `peer_id`."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when something came, and when it is here."""
        self.on_refused: Callable[[Sequence[Refused]], None] = lambda edits: None
        """Called with edits that the server has refused for good; they are given up."""
        self.trouble: str | None = None
        """Why there is no connection now."""
        self._shown: Frame | None = None
        self._written = asyncio.Event()
        self._state = asyncio.Condition()
        self.is_connected = False
        self._failures: Sequence[Refused] = ()
        self._end: BaseException | None = None
        self._told = 0
        self._task = asyncio.create_task(self._live())
        # Why it ended is told to whoever waits: `_end`.
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    # What a room holds.

    @property
    def is_known(self) -> bool:
        """Whether its genesis is held: it can be written to."""
        return self.replica.genesis is not None

    def get(self, key: str, default: Any = None) -> Any:
        return shown(self.replica.document.value_of(key), default)

    def set(self, key: str, value: Any) -> None:
        self.write([Op(n.SET, key, value=packed(value))])

    def delete(self, key: str) -> None:
        if self.replica.document.value_of(key) is not None:
            self.write([Op(n.DELETE, key)])

    def keys(self) -> Sequence[str]:
        """Registers that hold something, but those of the system, in the order of their UTF-16 code units."""
        live = [key for key in self.replica.document.registers if self.replica.document.value_of(key)]
        own = [key for key in live if not key.startswith(("\0", "_topology/"))]
        return sorted(own, key=lambda key: key.encode("utf-16-be"))

    def text(self, key: str) -> TextView:
        return TextView(self, key)

    def list(self, key: str) -> ListView:
        return ListView(self, key)

    def map(self, name: str) -> MapView:
        return MapView(self, name)

    def state_hash(self) -> str:
        return self.replica.document.state_hash()

    @property
    def unsent(self) -> int:
        """How many own nodes no server has confirmed."""
        return len(self.replica.unconfirmed)

    def write(self, ops: Sequence[Op]) -> None:
        if self._end is not None:
            raise RoomClosed("the room is closed") from self._end
        self.replica.write(ops)
        self._written.set()

    def show(self, data: Any, ttl_ms: int | None = None) -> None:
        """Shows the others something of the moment, now and on each connection to come."""
        self._shown = {"type": "presence", "data": data, **({} if ttl_ms is None else {"ttl_ms": ttl_ms})}
        self._written.set()

    # Waiting.

    async def joined(self) -> None:
        """Returns when everything that the server has is here; raises when it never will be."""
        await self._until(lambda: self.is_connected)

    async def push(self) -> None:
        """Returns when everything that was written before is durable on the server; raises `RefusedEdits` when some of it never is."""
        last = self.replica.unconfirmed[-1:]
        await self._until(lambda: not last or last[0] not in self.replica.unconfirmed)
        if self._failures:
            failures, self._failures = self._failures, ()
            raise RefusedEdits(failures)

    def changes(self) -> AsyncIterator[None]:
        """Yields whenever the room may hold something else than before: once for all that came while nobody asked."""
        return self._changes(self._told)

    async def _changes(self, told: int) -> AsyncIterator[None]:
        while True:
            await self._until(lambda: self._told != told)
            told = self._told
            yield

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with self._state:
            while not holds():
                self._raise_end()
                await self._state.wait()

    def _raise_end(self) -> None:
        if isinstance(self._end, (JoinRefused, GenesisMismatch)):
            raise self._end
        if self._end is not None:
            raise RoomClosed("the room is closed") from self._end

    async def _tell(self) -> None:
        self._told += 1
        async with self._state:
            self._state.notify_all()

    async def close(self) -> None:
        """Leaves the room; what was written and not sent stays in the folder. Nothing of it runs on afterwards."""
        while not self._task.done():  # what is awaited may end at that very moment, and not hear of it
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1)
        if self._log:
            self._log.close()
            self._log = None

    async def __aenter__(self) -> Room:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # Connections.

    async def _live(self) -> None:
        """One connection after the other, until the room is closed or left for good."""
        loop = asyncio.get_running_loop()
        attempt = 0
        try:
            while True:
                began = loop.time()
                wait = None
                try:
                    await self._visit()
                except (Lost, DecodeError, OSError, asyncio.TimeoutError, WebSocketException) as error:
                    self.trouble = str(error) or type(error).__name__
                    wait = error.wait if isinstance(error, Lost) else None
                except JoinRefused as refusal:
                    if refusal.close != 4002 or not callable(self._token):
                        raise
                    self.trouble = str(refusal)
                attempt = 0 if loop.time() - began > STEADY else attempt
                longest = min(max(FIRST_WAIT * 2**attempt, self._spread), LONGEST_WAIT)
                attempt = min(attempt + 1, 16)
                await asyncio.sleep(random.uniform(0, longest) if wait is None else wait)
        except BaseException as error:
            self._end = error
            raise
        finally:
            await asyncio.shield(self._tell())

    async def _visit(self) -> None:
        """One connection, from hello to its end."""
        async with connect(self._url, max_size=MOST_FRAME, open_timeout=ANSWER_WAIT, ping_interval=None) as socket:
            connection = Connection(socket)
            try:
                standing = await self._enter(connection)
                await self._stay(connection, standing)
            finally:
                self.is_connected = False
                self.peers.clear()
                self.presence.clear()
                self.replica.resend()

    async def _enter(self, connection: Connection) -> Standing:
        """Says hello and takes in what is there; answers what the server has of what is held here."""
        hello = await self._hello()
        offered = tuple(self.replica.unconfirmed)  # what is written from now on, the hello does not speak of
        await connection.send(hello)
        welcome = await asyncio.wait_for(connection.heard(), ANSWER_WAIT)
        if welcome["type"] == "error":
            await asyncio.wait_for(connection.heard(), ANSWER_WAIT)  # it closes behind it
        if welcome["type"] != "welcome":
            raise DecodeError("the server has not said welcome")
        spread = welcome.get("retry_spread_ms")
        self._spread = spread / 1000 if isinstance(spread, int) else 0.0
        lacking = ids(welcome, "missing")
        connection.is_binary = field(welcome, "caps", dict).get("supports_binary") is True
        self.replica.begin(as_bytes(welcome.get("genesis")))
        for peer in field(welcome, "peers", list):
            self._met(peer)
        while True:
            frame = await asyncio.wait_for(connection.heard(), ANSWER_WAIT)
            await self._hear(frame)
            if frame["type"] == "pack" and frame.get("final"):
                return Standing(offered, frozenset(map(bytes.fromhex, hello["known"])), lacking)

    async def _hello(self) -> Frame:
        try:
            token = await self._token() if callable(self._token) else self._token
        except Exception as error:
            raise Lost(f"no token: {error!r}") from error
        return {
            "type": "hello",
            "protocol": [1],
            "pubkey": self._keys.public.hex(),
            "peer_type": self._peer_type,
            "caps": {"supports_binary": True, "supports_reconcile": True, "supports_ibf": False, "supports_mst": False},
            "proof": sign_proof(self._keys, self._name, self._audience),
            **({} if token is None else {"token": token}),
            **({} if self._subscribe is None else {"subscribe": self._subscribe}),
            **self.replica.hello(),
        }

    async def _stay(self, connection: Connection, standing: Standing) -> None:
        """Reads, sends what is written, and watches for silence, until one of these ends."""
        parts = (self._read(connection), self._write(connection, standing), connection.watch())
        tasks = {asyncio.create_task(part) for part in parts}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, connection: Connection) -> None:
        while True:
            await self._hear(await connection.heard())

    async def _write(self, connection: Connection, standing: Standing) -> None:
        await self._settle(connection, standing)
        self.trouble = None
        self.is_connected = True
        await self._tell()
        shown_last: Frame | None = None
        while True:
            self._written.clear()
            if self._shown is not None and self._shown is not shown_last:
                shown_last = self._shown
                await connection.send(shown_last)
            while (push := self.replica.next_push()) is not None:
                await self._push(connection, push)
            await self._written.wait()

    async def _settle(self, connection: Connection, standing: Standing) -> None:
        """Notes what the server has of what is held here, and finds out where that is not plain. [CL2] [CL3]"""
        if not standing.lacking:
            self.replica.confirm(standing.offered)
        elif standing.lacking <= set(standing.offered):
            there = [name for name in standing.offered if name in standing.known - standing.lacking]
            if there:
                self.replica.confirm_to(there[-1])
        else:
            self.replica.lost(await self._reconcile(connection))

    async def _reconcile(self, connection: Connection) -> AbstractSet[bytes]:
        """Nodes that the server lacks; none when it cannot be found out. What is lacking here follows in packs."""
        side = Initiator(self.replica.graph)
        message: Frame | None = side.open()
        try:
            while message is not None and side.send is None:
                answer = await connection.ask({"type": "reconcile", **message})
                carried = {name: as_bytes(answer[name]) for name in ("symbols", "key", "heads") if name in answer}
                message = side.receive({**answer, **carried})
        except DecodeError as error:
            self.trouble = str(error)
            return frozenset()
        if message is not None:
            await connection.send({"type": "reconcile", **message})
        return side.send or frozenset()

    async def _push(self, connection: Connection, push: Push) -> None:
        answer = await connection.ask({"type": "pack", "nodes": push.pack})
        rejected = [each for each in field(answer, "rejected", list) if isinstance(each, dict)]
        said = {str(each.get("id")): str(each.get("reason")) for each in rejected}
        reasons = {name: said[name.hex()] for name in push.nodes if name.hex() in said}
        given_up = self.replica.refuse(push, reasons)
        self._failures = (*self._failures, *given_up)
        await self._tell()
        if given_up:
            self._call(lambda: self.on_refused(given_up))
        elif reasons:
            raise Lost("the server lacks what was written on: it is asked anew")

    async def _hear(self, frame: Frame) -> None:
        """What comes unasked, and packs."""
        kind = frame["type"]
        if kind == "pack":
            if not self.replica.receive(as_bytes(frame.get("nodes"))):
                return
        elif kind == "peer-joined":
            return self._met(frame)
        elif kind == "peer-left":
            self.peers.pop(field(frame, "session_id", str), None)
            name = field(frame, "peer_id", str)
            if all(peer.peer_id != name for peer in self.peers.values()):
                self.presence.pop(name, None)
        elif kind == "presence":
            self.presence[field(frame, "peer_id", str)] = frame.get("data")
        else:
            return
        await self._tell()
        self._call(self.on_change)

    def _met(self, peer: Frame) -> None:
        pubkey, peer_id, peer_type = (field(peer, name, str) for name in ("pubkey", "peer_id", "peer_type"))
        self.peers[field(peer, "session_id", str)] = Peer(pubkey, peer_id, peer_type, field(peer, "proven", bool))
        self._call(self.on_change)

    @staticmethod
    def _call(listener: Callable[[], None]) -> None:
        """A listener that raises hurts nothing of the room; the loop says what it raised."""
        try:
            listener()
        except Exception as error:
            said = {"message": "a listener of a room has raised", "exception": error}
            asyncio.get_running_loop().call_exception_handler(said)
