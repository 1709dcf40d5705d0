/** Packs as objects: the public form, at the edges. The engine goes from bytes to columns and back, and loads none of this. */
import { DecodeError } from '../bytes/bytes.js';
import type { Attestation } from '../nodes/headers.js';
import { allOf } from '../nodes/places.js';
import { type Seal, openPack, writePack } from './pack.js';
import { type PackedNode, addNodes, nodeAt } from './packed-node.js';

export interface Pack {
  readonly nodes: readonly PackedNode[];
  readonly seals: readonly Seal[];
  /** There if a node is `withheld`. */
  readonly attestation?: Attestation;
}

export function encodePack(pack: Pack): Uint8Array {
  const table = addNodes(pack.nodes);
  const { attestation } = pack;
  const headers = attestation && { places: table.withheld, attestation };
  if (!headers && table.withheld.size > 0) throw new DecodeError('headers without the word of an authority');
  return writePack(table, allOf(table.size), pack.seals, headers);
}

export function decodePack(bytes: Uint8Array): Pack {
  const { table, ...rest } = openPack(bytes);
  return { nodes: Array.from({ length: table.size }, (_, place) => nodeAt(table, place)), ...rest };
}
