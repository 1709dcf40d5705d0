"""Keys, and what they sign: seals, tokens and proofs. [SL1] [SG3] [TK1] [PF1]"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
SMALL_ORDER = {
    0,
    1,
    PRIME - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
}
"""The y of all points of small order."""


class Keys:
    """Ed25519 key pair; its signatures are deterministic. [SG2]"""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.seed = seed
        self.public = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @classmethod
    def generate(cls) -> Keys:
        return cls(os.urandom(32))

    @classmethod
    def kept(cls, path: str | Path) -> Keys:
        """Keys whose seed is kept in a file that only its owner reads; made when there is none."""
        path = Path(path)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            made = path.with_name(f"{path.name}.{os.getpid()}")
            handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.write(handle, os.urandom(32).hex().encode())
                os.fsync(handle)
            finally:
                os.close(handle)
            try:
                os.link(made, path)
            except FileExistsError:
                pass  # somebody else was first: his are the keys
            finally:
                made.unlink()
        return cls(bytes.fromhex(path.read_text().strip()))

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)


def verify(author: bytes, message: bytes, signature: bytes) -> bool:
    """Verdict on a signature, the same as that of every other implementation."""
    if not is_point(author) or not is_point(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(author).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_point(encoded: bytes) -> bool:
    """Whether a coordinate is below the field prime, and not of small order."""
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    return y < PRIME and y not in SMALL_ORDER


def seal_message(node: bytes) -> bytes:
    return b"weft-seal-v1\0" + node


def sign_token(signer: Keys, room: str, peer: bytes, expiry: int, caps: Iterable[str]) -> dict[str, Any]:
    """What lets a peer into a room, or lets it do more there, until `expiry` (Unix seconds)."""
    capabilities = sorted(caps)
    message = b"".join(
        (b"weft-room-token-v1\0", room.encode(), b"\0", peer, expiry.to_bytes(8, "little"), b"\0")
    ) + "\n".join(capabilities).encode("ascii")
    return {
        "peer_pubkey": peer.hex(),
        "expiry": expiry,
        "caps": capabilities,
        "sig": signer.sign(message).hex(),
        "issuer": signer.public.hex(),
    }


def sign_proof(keys: Keys, room: str, audience: str, ts: int | None = None) -> dict[str, Any]:
    """That this peer holds its key, for one connection; dated now, or `ts` (Unix milliseconds)."""
    ts, nonce = time.time_ns() // 1_000_000 if ts is None else ts, os.urandom(16)
    claims = (room.encode(), b"\0", keys.public, ts.to_bytes(8, "little"), nonce, audience.encode())
    signature = keys.sign(b"weft-hello-v1\0" + b"".join(claims))
    return {"ts": ts, "nonce": nonce.hex(), "aud": audience, "sig": signature.hex()}
