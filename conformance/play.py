"""Plays dialogues against a server: what peers send goes out, what comes back is compared. See README.md for what they say."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import struct
import time
from typing import Any
from urllib.parse import urlsplit

import msgpack
from weft_client import nodes as n
from weft_client.crypto import Keys, seal_message, sign_proof, sign_token
from weft_client.nodes import Node, Op
from weft_client.packs import decode_pack, encode_rows
from weft_client.reconcile import check_word
from websockets.client import WebSocketClientProtocol, connect
from websockets.exceptions import ConnectionClosed

WAIT = 20.0
NAMES = ("ann", "bob", "eve", "admin", "room-key", "other-key")
ROOM = "room"
Kept = dict[str, Any]


class Differs(Exception):
    """What came is not what was expected."""


def keys_of(name: str) -> Keys:
    """The seed of a name is its hash."""
    return Keys(hashlib.sha256(name.encode()).digest())


class End:
    """One connection, seen from its peer."""

    def __init__(self, socket: WebSocketClientProtocol) -> None:
        self.socket = socket

    async def next(self) -> tuple[dict[str, Any], bool]:
        """The next frame, with base64 where it has bytes, and whether it was binary."""
        try:
            data = await asyncio.wait_for(self.socket.recv(), WAIT)
        except ConnectionClosed as closed:
            raise Differs(f"the connection was closed: {closed}") from closed
        except asyncio.TimeoutError:
            raise Differs(f"nothing came within {WAIT} s") from None
        if isinstance(data, bytes):
            frame: dict[str, Any] = plain(msgpack.unpackb(data))
            return frame, True
        return json.loads(data), False


def plain(value: Any) -> Any:
    """A frame of MessagePack as JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in value.items()} if isinstance(value, dict) else value


class Player:
    """One dialogue, in a room of its own."""

    def __init__(self, url: str, room: str) -> None:
        self.url, self.room = url, room
        self.audience = urlsplit(url).netloc.lower()
        self.kept: Kept = {f"$key of {name}": keys_of(name).public.hex() for name in NAMES}
        self.ends: dict[str, End] = {}

    async def play(self, dialogue: dict[str, Any]) -> None:
        self.named = dialogue.get("room", ROOM)
        self.rooms = {self.named, *(step["room"] for step in dialogue["steps"] if "room" in step)}
        try:
            for peer in dialogue["peers"]:
                await self.connect(peer, self.named)
            for number, step in enumerate(dialogue["steps"], 1):
                try:
                    await self.step(step)
                except (Differs, KeyError, ConnectionClosed) as error:
                    raise Differs(f"step {number}, {json.dumps(step)}: {error}") from error
        finally:
            await asyncio.gather(*(end.socket.close() for end in self.ends.values()))

    def place(self, room: str) -> str:
        """Rooms of a dialogue are new ones of the server's, each time; but those that no peer may have."""
        return room if room.startswith("~") else f"{self.room}-{room}"

    async def connect(self, peer: str, room: str) -> None:
        url = self.url.replace("<room>", self.place(room))
        self.ends[peer] = End(await connect(url, max_size=None, ping_interval=None))

    async def step(self, step: dict[str, Any]) -> None:
        if "connect" in step:
            return await self.connect(step["peer"], step.get("room", self.named))
        end = self.ends[step["peer"]]
        if "send" in step:
            text = json.dumps(self.filled(step["send"]))
            for _ in range(step.get("times", 1)):
                await end.socket.send(text)
        elif "sendBinary" in step:
            frame = self.filled(step["sendBinary"])
            if "nodes" in frame:
                frame["nodes"] = base64.b64decode(frame["nodes"])
            await end.socket.send(msgpack.packb(frame))
        elif "text" in step:
            await end.socket.send(step["text"])
        elif "binary" in step:
            await end.socket.send(bytes.fromhex(step["binary"]))
        elif "expect" in step:
            await self.receive(end, step["expect"])
        elif "expectNothing" in step:
            await end.socket.send('{"type":"is anything there","req_id":"nothing"}')
            answer, _ = await end.next()
            if (answer.get("code"), answer.get("req_id")) != ("unknown-type", "nothing"):
                raise Differs(f"something came: {json.dumps(answer)}")
        elif "close" in step:
            await self.closed(end, step["close"])
        elif "leave" in step:
            await end.socket.close()
        else:
            raise Differs("a step that only a server in the same process can be told")

    async def closed(self, end: End, expected: Any) -> None:
        try:
            frame, _ = await end.next()
        except Differs:
            found = {"code": end.socket.close_code, "reason": end.socket.close_reason}
            return self.match(found, expected, "close")
        raise Differs(f"the connection is open: {json.dumps(frame)} came")

    async def receive(self, end: End, expected: dict[str, Any]) -> None:
        frame, binary = await end.next()
        shape = {name: value for name, value in expected.items() if name not in ("$holds", "$headers", "$binary")}
        if expected.get("$binary", binary) != binary:
            raise Differs("a frame in the wrong form")
        self.match(frame, shape, "frame")
        if frame["type"] == "welcome":
            self.kept["$genesis_id"] = ids_in(frame["genesis"])[0]
        if "$holds" in expected:
            self.match(ids_in(frame["nodes"]), expected["$holds"], "ids in the pack")
        if "$headers" in expected:
            self.match(ids_in(frame["nodes"], headers=True), expected["$headers"], "headers in the pack")

    # What was expected.

    def match(self, found: Any, expected: Any, place: str) -> None:
        """Compares; keeps what it is asked to keep."""
        if isinstance(expected, str) and expected.startswith("$"):
            return self.match_placeholder(found, expected, place)
        if isinstance(expected, list):
            if not isinstance(found, list) or len(found) != len(expected):
                raise Differs(f"{place} is {json.dumps(found)}, not of {len(expected)}")
            for index, item in enumerate(expected):
                self.match(found[index], item, f"{place}[{index}]")
        elif isinstance(expected, dict) and "$includes" in expected:
            if not any(self.is_match(item, expected["$includes"]) for item in found):
                raise Differs(f"{place} does not include {json.dumps(expected)}")
        elif isinstance(expected, dict):
            self.match_object(found, expected, place)
        elif self.unmapped(found) != expected or type(found) is not type(expected):
            raise Differs(f"{place} is {json.dumps(found)}, not {json.dumps(expected)}")

    def mapped(self, value: Any) -> Any:
        """A room of the dialogue by the name that it has here."""
        return self.place(value) if isinstance(value, str) and value in self.rooms else value

    def unmapped(self, found: Any) -> Any:
        """Text with the rooms that it names as the dialogue calls them."""
        return found.replace(f"{self.room}-", "") if isinstance(found, str) else found

    def match_object(self, found: Any, expected: dict[str, Any], place: str) -> None:
        fields = {name: value for name, value in expected.items() if name != "$more"}
        if not isinstance(found, dict) or (expected.get("$more") is not True and found.keys() != fields.keys()):
            raise Differs(f"{place} is {json.dumps(found)}, not an object of {', '.join(fields)}")
        for name, value in fields.items():
            self.match(found.get(name), value, f"{place}.{name}")

    def is_match(self, found: Any, expected: Any) -> bool:
        try:
            self.match(found, expected, "item")
        except Differs:
            return False
        return True

    def match_placeholder(self, found: Any, expected: str, place: str) -> None:
        word, _, rest = expected.partition(":")
        if word == "$save":
            self.kept[f"${rest}"] = found
            holds = found is not None
        elif word == "$hex":
            holds = isinstance(found, str) and re.fullmatch(f"[0-9a-f]{{{2 * int(rest)}}}", found) is not None
        elif word == "$begins":
            holds = str(found).startswith(rest)
        elif word == "$base64":
            holds = isinstance(found, str) and base64.b64encode(base64.b64decode(found)).decode() == found
        elif word == "$any":
            holds = found is not None
        else:
            holds = found == self.kept[expected]
        if not holds:
            raise Differs(f"{place} is {json.dumps(found)}, not {expected}")

    # What is sent.

    def filled(self, value: Any) -> Any:
        """A frame in which names and directives are what they stand for."""
        if isinstance(value, str):
            return self.kept[value] if value.startswith("$") else self.mapped(value)
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$pack" in value:
            return self.pack(value["$pack"])
        if "$token" in value:
            return self.credential(value["$token"], self.token(value["$token"]))
        if "$proof" in value:
            return self.credential(value["$proof"], self.proof(value["$proof"]))
        fields = {name: self.filled(item) for name, item in value.items()}
        return reconcile_bytes(fields) or fields

    def credential(self, directive: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
        if "as" in directive:
            self.kept[f"${directive['as']}"] = made
        return made

    def token(self, directive: dict[str, Any]) -> dict[str, Any]:
        signer, peer = keys_of(directive["by"]), keys_of(directive["for"]).public
        expiry = int(time.time()) + directive.get("ttl", 60)
        return sign_token(signer, self.place(directive.get("room", self.named)), peer, expiry, directive.get("caps", ()))

    def proof(self, directive: dict[str, Any]) -> dict[str, Any]:
        at = time.time_ns() // 1_000_000 - directive.get("ago", 0) * 1000
        room = self.place(directive.get("room", self.named))
        return sign_proof(keys_of(directive["by"]), room, directive.get("aud", self.audience), at)

    def pack(self, directive: dict[str, Any]) -> str:
        rows: list[bytes] = []
        names: list[tuple[str, str, bytes]] = []
        if directive.get("headers"):
            raise Differs("headers that nobody vouches for are made by a writer of columns alone")
        for one in directive["nodes"]:
            times = one.get("times", 1)
            for index in range(times):
                name = one["as"] if index == times - 1 else f"{one['as']} {index}"
                node = self.node(one)
                self.kept[f"${name}"] = self.kept[f"$tip of {one['by']}"] = node.id.hex()
                names.append((name, one["by"], node.id))
                rows.append(n.canonical(node))
        sealed = directive.get("seal", [names[-1][0]] if names else [])
        seals = []
        for index, (name, by, node_id) in enumerate(names):
            if name in directive.get("forge", ()):
                seals.append((index, b"\1" * 64))
            elif name in sealed:
                seals.append((index, keys_of(by).sign(seal_message(node_id))))
        return base64.b64encode(encode_rows(rows, seals)).decode()

    def node(self, one: dict[str, Any]) -> Node:
        tip = self.kept.get(f"$tip of {one['by']}")
        before = tip if "prev" not in one else one["prev"] and self.filled(one["prev"])
        parents = one.get("parents", ["$genesis_id"] if before is None else [])
        ops = [Op(n.SET, key, value=msgpack.packb(value)) for key, value in one.get("set", {}).items()]
        ops += [Op(n.DELETE, key) for key in one.get("delete", ())]
        many = one.get("setMany", {"prefix": "", "count": 0})
        ops += [Op(n.SET, f"{many['prefix']}{index}", value=b"\0") for index in range(many["count"])]
        return Node(
            bytes.fromhex(self.filled(one.get("room", "$genesis_id"))),
            keys_of(one["by"]).public,
            bytes.fromhex(before) if before else None,
            tuple(sorted(bytes.fromhex(self.filled(name)) for name in parents)),
            None,
            tuple(ops),
        )


def ids_in(pack: str, headers: bool = False) -> list[str]:
    nodes = decode_pack(base64.b64decode(pack)).nodes
    return [node.id.hex() for node in nodes if node.withheld is not None or not headers]


def reconcile_bytes(value: dict[str, Any]) -> str | None:
    """Bytes that reconciliation speaks of, by the directive that asks for them."""
    if len(value) != 1:
        return None
    [(name, of)] = value.items()
    if name not in ("$ibf", "$root", "$ids", "$tips"):
        return None
    if name == "$tips":
        chains = [[bytes.fromhex(each) for each in chain] for chain in of]
        made = b"".join(chain[0][:8] + chain[-1][:8] + bytes([len(chain)]) for chain in chains)
    else:
        ids = [bytes.fromhex(each) for each in of]
        made = {"$ibf": filter_of, "$ids": b"".join, "$root": root_of}[name](ids)
    return base64.b64encode(made).decode()


def root_of(ids: list[bytes]) -> bytes:
    return hashlib.sha256(b"".join(sorted(ids))).digest()


def filter_of(ids: list[bytes]) -> bytes:
    """The smallest filter of these ids. [RC1]"""
    cells = [[0, 0, 0] for _ in range(80)]
    for name in ids:
        words = struct.unpack(">8I", name)
        for quarter in range(4):
            cell = cells[quarter * 20 + words[quarter] * 20 // 2**32]
            cell[0] += 1
            cell[1] ^= int.from_bytes(name, "big")
            cell[2] ^= check_word(words)
    sizes = (2, 32, 4)
    return b"\1\0" + b"".join(part.to_bytes(size, "big") for cell in cells for part, size in zip(cell, sizes))
