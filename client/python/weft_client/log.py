"""The folder of a room: everything that is held, as records that are only ever added. It survives a process that dies at any moment.

A record is its length and CRC-32, four bytes each, and a MessagePack array. A torn one at the end is cut off when the log is
opened. Nothing that was written here is sent before it is on the disk: otherwise, after a crash, other nodes would be written
in the place of nodes that a server has.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack

from .faults import DecodeError, WeftError
from .nodes import Node, canonical, canonical_ops, read_node, read_ops

MAGIC = b"weft-client-log 1\n"
MOST_RECORD = 2 << 20


class Log:
    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = open(self._folder / "lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise WeftError(f"{self._folder} is in use by another process: give each its own folder and key") from error
        self._file = open(self._path, "ab", buffering=0)
        self._owed = b""
        """Records that the disk has not taken yet."""
        self._is_synced = True

    @property
    def _path(self) -> Path:
        return self._folder / "log"

    def read(self) -> Iterator[Node]:
        """All nodes in their order; call it once, before anything is added."""
        data = self._path.read_bytes()
        if not data.startswith(MAGIC):
            if MAGIC.startswith(data):
                self._file.truncate(0)
                self._write(MAGIC)
                return
            raise DecodeError(f"{self._path} is no log of this version of the client: it was left as it is")
        at = len(MAGIC)
        while (end := self._end(data, at)) is not None:
            yield node_of(msgpack.unpackb(data[at + 8 : end]))
            at = end
        self._file.truncate(at)

    def _end(self, data: bytes, at: int) -> int | None:
        """Where the record ends that begins here; None for a torn one, with which the log ends."""
        length, checksum = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 8 + length
        whole = end <= len(data) and zlib.crc32(data[at + 8 : end]).to_bytes(4, "big") == checksum and length > 0
        if whole:
            return end
        if 0 < length <= MOST_RECORD and end < len(data):
            raise DecodeError(f"{self._path} is damaged at byte {at}: put it aside, what a server has comes from there")
        return None

    def add(self, nodes: Iterable[Node]) -> None:
        """Adds nodes whole or not at all: raises where the disk does not take them."""
        self._write(self._owed + b"".join(map(record_of, nodes)))
        self._owed = b""

    def owe(self, nodes: Iterable[Node]) -> None:
        """Adds nodes that are held already: those that the disk does not take now go before all that is added later."""
        self._owed += b"".join(map(record_of, nodes))
        with suppress(OSError):
            self.add(())

    def _write(self, data: bytes) -> None:
        end = os.fstat(self._file.fileno()).st_size
        self._is_synced = self._is_synced and not data
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.truncate(end)
            raise

    def sync(self) -> None:
        """Everything that was added is on the disk when this returns."""
        self.add(())
        if not self._is_synced:
            os.fsync(self._file.fileno())
            self._is_synced = True

    def replace(self, nodes: Iterable[Node]) -> None:
        """Puts these nodes in the place of all, whole or not at all: what was given up is on the disk no more."""
        beside = self._path.with_name("log.new")
        with open(beside, "wb") as file:
            file.write(MAGIC)
            for node in nodes:
                file.write(record_of(node))
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._path)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._file.close()
        self._file = open(self._path, "ab", buffering=0)
        self._owed, self._is_synced = b"", True

    def close(self) -> None:
        try:
            self.sync()
        finally:
            self._file.close()
            self._lock.close()


def record_of(node: Node) -> bytes:
    if node.withheld is None:
        fields: list[Any] = [canonical(node)]
    else:
        fields = [node.id, node.room, node.author, node.prev, list(node.parents), node.withheld]
        if node.ops:
            fields.append(canonical_ops(node))
    data: bytes = msgpack.packb(fields)
    return len(data).to_bytes(4, "big") + zlib.crc32(data).to_bytes(4, "big") + data


def node_of(fields: list[Any]) -> Node:
    if len(fields) == 1:
        return read_node(fields[0])
    name, room, author, prev, parents, elements, *left = fields
    ops = read_ops(left[0]) if left else ()
    return Node(room, author, prev, tuple(parents), None, ops, withheld=elements, id=name)
