// A whole history that can be opened by whoever holds nothing of the room: its genesis, then one pack.

const LENGTH_BYTES = 4;

export interface WholeHistory {
  readonly genesis: Uint8Array;
  readonly pack: Uint8Array;
}

export function joinHistory({ genesis, pack }: WholeHistory): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES + genesis.length + pack.length);
  new DataView(bytes.buffer).setUint32(0, genesis.length);
  bytes.set(genesis, LENGTH_BYTES);
  bytes.set(pack, LENGTH_BYTES + genesis.length);
  return bytes;
}

export function splitHistory(bytes: Uint8Array): WholeHistory {
  if (bytes.length < LENGTH_BYTES) throw new Error('A saved history begins with the length of its genesis.');
  const end = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (end > bytes.length) throw new Error('A saved history ends within its genesis.');
  return { genesis: bytes.subarray(LENGTH_BYTES, end), pack: bytes.subarray(end) };
}
