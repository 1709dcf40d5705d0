"""Room of the Python client that does what it is told: a JSON array on each line of standard input, an answer on each of the output."""

import asyncio
import json
import random
import resource
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

from weft_client import Keys, RefusedEdits, Room, WeftError, connection, open_room, reconcile


waits: list[float] = []
changes: list[AsyncIterator[None]] = []


def at_once(a: float, b: float) -> float:
    """The shortest wait between the two, in place of one by chance; what the longest was is noted."""
    waits.append(b)
    return a


def raising() -> None:
    raise ValueError("of no use")


async def begin(url: str, seed: str, options: dict[str, Any]) -> Room:
    if tokens := options.pop("tokens", None):

        async def token() -> Any:
            if (given := tokens.pop(0)) is None:
                raise RuntimeError("nobody gives tokens now")
            return given

        options["token"] = token
    return await open_room(url, Keys(bytes.fromhex(seed)), **options)


async def do(room: Room, name: str, args: Sequence[Any]) -> Any:
    if name == "push":
        return await asyncio.wait_for(room.push(), 30)
    if name == "joined":
        return await asyncio.wait_for(room.joined(), 30)
    if name == "state":
        return {
            "hash": room.state_hash(),
            "registers": {key: room.get(key) for key in room.keys()},
            "unsent": room.unsent,
            "presence": room.presence,
            "peers": len(room.peers),
            "connected": room.is_connected,
            "trouble": room.trouble,
        }
    if name == "follow":
        changes.append(room.changes())
        return None
    if name == "changed":
        return await asyncio.wait_for(anext(changes[0]), 30)
    if name == "listen badly":
        room.on_change = raising
        return None
    if name in ("set", "delete", "show"):
        return getattr(room, name)(*args)
    if name == "map":
        prefix, key, value = args
        room.map(prefix)[key] = value
        return dict(room.map(prefix))
    key, edit, *rest = args
    if name == "text":
        return str(room.text(key)) if edit == "read" else getattr(room.text(key), edit)(*rest)
    return list(room.list(key)) if edit == "read" else getattr(room.list(key), edit)(*rest)


async def main() -> None:
    lines = asyncio.StreamReader(limit=64 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    room: Room | None = None
    while line := await lines.readline():
        name, *args = json.loads(line)
        answer: dict[str, Any]
        try:
            if name == "ways":
                reconcile.MOST_ASKS, reconcile.MOST_WALKED = args
                answer = {"ok": None}
            elif name == "silence":
                connection.SILENCE, connection.ANSWER_WAIT = args
                answer = {"ok": None}
            elif name == "largest file":
                _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (hard if args[0] is None else args[0], hard))
                answer = {"ok": None}
            elif name == "waits":
                random.uniform = at_once
                answer = {"ok": waits}
            elif name == "open":
                room = await begin(*args)
                answer = {"ok": None}
            elif room is None:
                answer = {"error": "Nothing", "msg": "no room is open"}
            else:
                answer = {"ok": await do(room, name, args)}
        except RefusedEdits as refused:
            answer = {"error": "RefusedEdits", "edits": [[edit.reason, list(edit.keys)] for edit in refused.edits]}
        except (WeftError, IndexError, ValueError, OSError, asyncio.TimeoutError) as error:
            answer = {"error": type(error).__name__, "msg": str(error)}
        print(json.dumps(answer), flush=True)
    if room:
        await room.close()


asyncio.run(main())
