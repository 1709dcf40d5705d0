"""Runs the kit: `run.py packs`, `run.py values` and `run.py authority` on the Python client, `run.py dialogues ws://host:port/ws/<room>` on any server. See README.md."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from play import Differs, Player
from weft_client.crypto import Keys
from weft_client.faults import DecodeError
from weft_client.nodes import Op, Ref, canonical
from weft_client.packs import decode_pack
from weft_client.replica import Replica
from weft_client.values import BLOB, BYTES, ITEMS, Told
from weft_client.values import open_value_root, proven_page, proven_text_part, value_root

KIT = Path(__file__).parent
NEEDS_HOST = ("setup", "limits", "entry", "hook", "diskFree", "broken", "links")
"""What only the process of a server can be told: its operator, its limits, its faults."""


def described(vector: dict[str, Any]) -> None:
    """Holds the decoder to one vector."""
    data = bytes.fromhex(vector["hex"])
    if vector.get("refused"):
        try:
            decode_pack(data)
        except DecodeError:
            return
        raise Differs("it was not refused")
    pack = decode_pack(data)
    found = []
    for node in pack.nodes:
        shown: dict[str, Any] = {
            "id": node.id.hex(),
            "room": node.room.hex(),
            "author": node.author.hex(),
            "prev": node.prev and node.prev.hex(),
            "parents": [name.hex() for name in node.parents],
            "wall_ms": node.wall_ms,
            "counter": node.counter,
            "ops": [shown_op(op) for op in node.ops],
            "canonical": None if node.withheld is not None else canonical(node).hex(),
        }
        if node.withheld is not None:
            shown["withheld"] = node.withheld
        elif hashlib.sha256(canonical(node)).digest() != node.id:
            raise Differs("an id is not the hash of its node")
        found.append(shown)
    seals = [{"index": index, "signature": signature.hex()} for index, signature in pack.seals]
    if (found, seals) != (vector["nodes"], vector["seals"]):
        raise Differs(f"it reads as {json.dumps(found)} and {json.dumps(seals)}")
    if pack.attestation:
        authority, signature = pack.attestation
        word = {"authority": authority.hex(), "signature": signature.hex()}
        if pack.certificate:
            word["certificate"] = pack.certificate.hex()
        if vector["attestation"] != word:
            raise Differs("it has another attestation")


KINDS = ("register", "text", "list")


def proved(vector: dict[str, Any]) -> None:
    """Holds the checks of proofs, and the fold that they are of, to one vector."""
    try:
        says = checked(vector)
    except DecodeError:
        if vector.get("refused"):
            return
        raise
    if vector.get("refused"):
        raise Differs("it was not refused")
    expected: Any = vector["text"] if "part" in vector else [vector["entries"], vector["next"]]
    if says != expected:
        raise Differs(f"it says {json.dumps(says)}")
    root = open_value_root(bytes.fromhex(vector["signed"]), vector["room"], vector["authorities"])
    for had in [[], *([vector["before"]] if "before" in vector else [])]:
        replica = Replica(Keys.generate())
        replica.begin(bytes.fromhex(vector["genesis"]))
        for pack in [*had, *vector["packs"]]:
            replica.receive(bytes.fromhex(pack))
        if (root.root, root.state_hash) != (value_root(replica.document), replica.document.state_hash()):
            raise Differs("the room of these nodes has another root")


def checked(vector: dict[str, Any]) -> Any:
    proof = (bytes.fromhex(vector["signed"]), bytes.fromhex(vector["proof"]), vector["room"], vector["authorities"])
    if "part" in vector:
        part = vector["part"]
        return proven_text_part(*proof, part["key"], part["from"], part["to"])
    page = vector["page"]
    after = page.get("after")
    place = (after["k"].encode(), KINDS.index(after["kind"])) if after else None
    told, is_all = proven_page(*proof, page["prefix"], place)
    entries = [shown_entry(one) for one in told]
    return [entries, None if is_all else {"k": entries[-1]["k"], "kind": entries[-1]["kind"]}]


def shown_entry(told: Told) -> dict[str, Any]:
    key, kind = told.place
    named: dict[str, Any] = {"k": key.decode(), "kind": KINDS[kind]}
    shown = told.shown
    if shown is None:
        raise Differs("a value was not told")
    if shown.form == BYTES:
        return named | {"form": "bytes", "bytes": shown.data.hex()}
    if shown.form == BLOB:
        return named | {"form": "blob", "hash": shown.data.hex()}
    if shown.form == ITEMS:
        return named | {"form": "list", "items": [item.hex() for item in shown.items]}
    return named | {"form": "text", "text": shown.data.decode("utf-16-be", "surrogatepass")}


def judged(vector: dict[str, Any]) -> None:
    """Holds a replica to what a vector says of who speaks for a room. Policies are left to servers here."""
    replica = Replica(Keys.generate())
    replica.begin(bytes.fromhex(vector["genesis"]))
    for number, step in enumerate(vector["steps"]):
        is_wrong = any(reason in ("foreign-system-key", "bad-mandate") for reason in step["refused"].values())
        try:
            replica.receive(bytes.fromhex(step["pack"]))
        except DecodeError:
            if is_wrong:
                continue
            raise
        if is_wrong:
            raise Differs(f"step {number} was not refused")


def shown_op(op: Op) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": op.kind, "key": op.key}
    if op.kind == 0:
        shown["value"] = op.value.hex()
    elif op.kind == 10:
        shown["hash"] = op.value.hex()
    elif op.kind in (2, 3):
        shown |= {"element": shown_ref(op.anchor), "text": op.text}
    elif op.kind in (5, 6):
        shown |= {"element": shown_ref(op.anchor), "values": [value.hex() for value in op.values]}
    elif op.kind in (4, 7):
        shown |= {"last": shown_ref(op.target), "count": op.count}
    elif op.kind in (8, 9):
        shown |= {"item": shown_ref(op.target), "element": shown_ref(op.anchor)}
    elif op.kind == 11:
        shown |= {"element": shown_ref(op.anchor), "to": shown_ref(op.target), "sides": op.count}
        shown |= {"name": op.text, "value": op.value.hex()}
    return shown


def shown_ref(ref: Ref | None) -> Any:
    return {"node": ref[0].hex(), "offset": ref[1]} if isinstance(ref, tuple) else ref


def needs_host(dialogue: dict[str, Any]) -> bool:
    told = any("operator" in step or "reads" in step for step in dialogue["steps"])
    return told or any(name in dialogue for name in NEEDS_HOST)


def cannot_be_played(name: str, dialogue: dict[str, Any]) -> bool:
    """Whether frames have to come in one read, or a pack of headers has to be written, which this client does not."""
    sent = [step["send"].get("nodes") for step in dialogue["steps"] if "send" in step]
    return name == "pushes-in-a-row" or any(isinstance(nodes, dict) and "headers" in nodes["$pack"] for nodes in sent)


CHECKS = {"packs": described, "values": proved, "authority": judged}


async def main(args: list[str]) -> int:
    kind, url, *names = [*args, "", ""][: max(len(args), 2)]
    if (kind, bool(url)) not in (("packs", False), ("values", False), ("authority", False), ("dialogues", True)):
        print("run.py packs | run.py values | run.py authority | run.py dialogues ws://host:port/ws/<room> [name …]")
        return 2
    passed = failed = skipped = 0
    for path in sorted((KIT / kind).glob("*.json")):
        if names and path.stem not in names:
            continue
        case = json.loads(path.read_text())
        if url and (needs_host(case) or cannot_be_played(path.stem, case)):
            skipped += 1
            continue
        try:
            if url:
                await Player(url, f"kit-{uuid4().hex[:12]}").play(case)
            else:
                CHECKS[kind](case)
            passed += 1
        except (Differs, DecodeError, OSError) as error:
            failed += 1
            print(f"{path.stem} [{case['rule']}] {case['title']}: {error}")
    print(f"{passed} passed, {failed} failed, {skipped} left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
