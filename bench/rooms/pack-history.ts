// Weft's side of the pack bench: each edit is a node, and one seal vouches for all of them.
import { type Pack, type Replica, decodePack, encodePack } from '@weft/core';
import type { Entrant } from '../measuring/entrant.js';
import { mustHold, perSecond, timed } from '../measuring/harness.js';
import { clocks } from './pack-clocks.js';
import type { Figures } from '../measuring/statistics.js';
import type { Typing } from '../text/text-edits.js';
import type { Edit } from '../measuring/trace.js';
import { takesPart } from '../weft/beside-text.js';
import { WEFT_VERSION, lastSealOf, newGenesis, newReplica, packOf, receiveWhole } from '../weft/engine.js';
import { TEXT_KEY, WeftReplica, manners } from '../weft/text-replica.js';

/** Edits to a seal while it was typed, and so to a time. */
export const RUN = manners.weft.messagesPerSeal;

/** History that was typed once; the replica packs again and again, as nothing is confirmed. */
export interface History {
  readonly genesis: Uint8Array;
  readonly replica: Replica;
  /** Pack of the history with one seal, the newest. */
  readonly pack: Pack;
}

export function packEntrants(typing: Typing, libs: readonly string[]): readonly Entrant[] {
  if (!takesPart(libs)) return [];
  const about = { lib: 'weft', version: WEFT_VERSION, notes: ['one seal'] };
  const edits = typing.trace.edits.slice(0, typing.edits);
  return Object.entries(clocks).map(([form, timesOf]) => {
    let made: Promise<History> | undefined;
    const run = async (): Promise<Figures> => measure(await (made ??= typeHistory(edits, timesOf(edits))), typing);
    return { ...about, form, contender: { name: `weft packs ${typing.trace.name} ${form}`, run } };
  });
}

/** The author seals each run, and puts the time of its first edit on that edit's node. */
export async function typeHistory(edits: readonly Edit[], times: readonly number[] | undefined): Promise<History> {
  const genesis = await newGenesis();
  let now: number | undefined;
  const replica = await newReplica(genesis, () => now);
  const author = new WeftReplica(genesis, replica, manners.weft);
  for (let from = 0; from < edits.length; from += RUN) {
    now = times?.[from];
    await author.typeEach(edits.slice(from, from + RUN));
  }
  const pack = lastSealOf(decodePack(await packOf(replica)));
  const timed = pack.nodes.filter(({ wallMs }) => wallMs !== undefined).length;
  mustHold(timed === (times === undefined ? 0 : Math.ceil(edits.length / RUN)), `${timed} nodes have a time`);
  return { genesis, replica, pack };
}

async function measure({ genesis, replica, pack }: History, { edits, textAfter }: Typing): Promise<Figures> {
  // Everything is sealed by now, so this is columns to bytes and nothing else.
  const { ms: encodeMs } = await timed(() => packOf(replica));
  const { ms: objectsMs, result: bytes } = await timed(() => encodePack(pack));
  const { ms: decodeMs, result: decoded } = await timed(() => decodePack(bytes));
  mustHold(decoded.nodes.length === pack.nodes.length, 'the decoded pack has another number of nodes');
  const reader = await newReplica(genesis);
  const { ms: loadMs, result: text } = await timed(async () => {
    await receiveWhole(reader, bytes);
    return reader.text(TEXT_KEY).toString();
  });
  mustHold(text === textAfter(edits), 'the received text is not that of the recording');
  mustHold(reader.stateHash === replica.stateHash, 'the reader ends in another state than the author');
  return {
    pack_bytes: bytes.length,
    edit_bytes: bytes.length / edits,
    encode_ms: encodeMs,
    encode_objects_ms: objectsMs,
    decode_ms: decodeMs,
    load_ms: loadMs,
    load_nodes_s: perSecond(pack.nodes.length, loadMs),
  };
}
