"""One WebSocket to a room: frames out, answers to what was asked, and why it has ended. [BF1] [ER2]"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from typing import Any, TypeVar

import msgpack
from websockets.client import WebSocketClientProtocol
from websockets.exceptions import ConnectionClosed

from .faults import DecodeError, JoinRefused

ANSWER_WAIT = 30.0
SILENCE = 10.0
"""After which a server is asked whether it is there: a network that fails closes no sockets."""
COME_BACK = re.compile(r"come back in ([0-9]{1,6}) ms")

Frame = dict[str, Any]
T = TypeVar("T")


class Lost(Exception):
    """The connection has ended; another one may be made, after `wait` seconds where that is said."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Connection:
    def __init__(self, socket: WebSocketClientProtocol) -> None:
        self._socket = socket
        self.is_binary = False
        self._answers: dict[int, asyncio.Queue[Frame]] = {}
        self._asked = 0
        self._heard = 0
        """How many frames have come."""
        self._said = ("closed", "")
        """The last error that was no answer: it says why a connection ends."""

    async def send(self, frame: Frame) -> None:
        """Sends a frame, with bytes as the connection carries them."""
        if self.is_binary:
            await self._socket.send(msgpack.packb(frame))
        else:
            await self._socket.send(json.dumps({name: as_text(value) for name, value in frame.items()}))

    async def ask(self, frame: Frame) -> Frame:
        """The answer to a frame; one that is an error ends the connection."""
        self._asked += 1
        number = self._asked
        answers: asyncio.Queue[Frame] = asyncio.Queue()
        self._answers[number] = answers
        try:
            await self.send({**frame, "req_id": number})
            answer = await asyncio.wait_for(answers.get(), ANSWER_WAIT)
        finally:
            del self._answers[number]
        if answer["type"] == "error":
            wait = answer.get("retry_ms")
            raise Lost(f"{answer.get('code')}: {answer.get('msg')}", wait / 1000 if isinstance(wait, int) else None)
        return answer

    async def watch(self) -> None:
        """Raises when the server has gone silent. Whatever comes meanwhile is a sign of it, a refusal too."""
        while True:
            heard = self._heard
            await asyncio.sleep(SILENCE)
            if heard == self._heard:
                try:
                    await self.ask({"type": "server-info"})
                except (Lost, asyncio.TimeoutError):
                    if heard == self._heard:
                        raise Lost("the server has gone silent") from None

    async def heard(self) -> Frame:
        """The next frame that is no answer. The end of the connection is `Lost`, or `JoinRefused` where it is for good."""
        while True:
            frame = await self._frame()
            number = frame.get("req_id")
            answers = self._answers.get(number) if isinstance(number, int) else None
            if answers is None or frame["type"] == "pack":
                return frame
            answers.put_nowait(frame)

    async def _frame(self) -> Frame:
        try:
            data = await self._socket.recv()
        except ConnectionClosed as closed:
            raise self._ending(closed) from closed
        self._heard += 1
        try:
            frame: object = msgpack.unpackb(data, timestamp=3) if isinstance(data, bytes) else json.loads(data)
        except ValueError as error:
            raise DecodeError("not a frame") from error
        if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
            raise DecodeError("not a frame")
        if frame["type"] == "error" and frame.get("req_id") is None:
            self._said = (str(frame.get("code")), str(frame.get("msg")))
        return frame

    def _ending(self, closed: ConnectionClosed) -> Exception:
        code, reason = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
        if code == 4002 or (code == 1008 and self._said[0] != "expected-hello"):
            return JoinRefused(*self._said, code)
        named = COME_BACK.search(reason) if code == 1012 else None
        return Lost(f"closed with {code} {reason}".strip(), int(named[1]) / 1000 if named else None)


def field(frame: Frame, name: str, kind: type[T]) -> T:
    """A field of a frame, which has to be of that kind."""
    value = frame.get(name)
    if not isinstance(value, kind):
        raise DecodeError(f"a frame of the server without {name}")
    return value


def ids(frame: Frame, name: str) -> frozenset[bytes]:
    """Ids that a frame lists in hex."""
    try:
        return frozenset(map(bytes.fromhex, field(frame, name, list)))
    except (TypeError, ValueError) as error:
        raise DecodeError(f"{name} of the server are no ids") from error


def as_bytes(value: Any) -> bytes:
    """Bytes: base64 in a frame of JSON, themselves in one of MessagePack."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise DecodeError("bytes are missing")
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as error:
        raise DecodeError("bad base64") from error


def as_text(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
