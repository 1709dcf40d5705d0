"""Client of Weft rooms: join one, read and write what it holds, go on without a network.

    from weft_client import Keys, open_room

    async with await open_room("ws://127.0.0.1:7878/ws/plans", Keys.generate(), folder="plans") as room:
        room.set("title", "Road map")
        room.text("notes").insert(0, "Begin here. ")
        await room.push()
"""

from .crypto import Keys, sign_token
from .document import BlobRef
from .faults import DecodeError, GenesisMismatch, JoinRefused, Refused, RefusedEdits, RoomClosed, WeftError
from .proofs import verify_register
from .room import Peer, Room, open_room
from .values import open_value_root, proven_page, proven_text_part, value_root
from .views import ListView, MapView, TextView

__all__ = [
    "BlobRef",
    "DecodeError",
    "GenesisMismatch",
    "JoinRefused",
    "Keys",
    "ListView",
    "MapView",
    "Peer",
    "Refused",
    "RefusedEdits",
    "Room",
    "RoomClosed",
    "TextView",
    "WeftError",
    "open_room",
    "open_value_root",
    "proven_page",
    "proven_text_part",
    "sign_token",
    "value_root",
    "verify_register",
]
