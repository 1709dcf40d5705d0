/** Recorded typing of several people, delivered to five readers, to each in its own way. */
import { type Pack, type Replica, decodePack, encodePack } from '@weft/core';
import { expect } from 'vitest';
import { typedAgain } from '../convergence/agents.js';
import { Random } from '../convergence/random.js';
import { readRecording } from '../convergence/recording.js';
import { join, openRoom, reasons } from './support.js';

const READERS = 5;

/** Neighbours joined into packs of random size: other readers get the same nodes in other packs. */
function joined(packs: readonly Pack[], random: Random): Uint8Array[] {
  const result: Uint8Array[] = [];
  for (let from = 0; from < packs.length;) {
    const parts = packs.slice(from, from + 1 + random.below(200));
    from += parts.length;
    let before = 0;
    const seals = parts.flatMap((part) => {
      before += part.nodes.length;
      return part.seals.map(({ index, signature }) => ({ index: before - part.nodes.length + index, signature }));
    });
    result.push(encodePack({ nodes: parts.flatMap(({ nodes }) => nodes), seals }));
  }
  return result;
}

/** Whatever is lost, or refused because something before it was, comes again; some come twice. */
async function deliver(reader: Replica, packs: readonly Uint8Array[], random: Random): Promise<void> {
  const waiting = [...packs];
  for (let tries = 0; waiting.length > 0; tries++) {
    if (tries > 100 + packs.length * 10) throw new Error(`${waiting.length} packs are refused for ever`);
    // Out of order, but not by far: what comes much too early costs as much as what comes in time.
    const [pack] = waiting.splice(random.chance(15) && waiting.length > 1 ? 1 : 0, 1);
    if (!pack) return;
    const lost = random.chance(10);
    if (lost || reasons(await reader.receive(pack)).length > 0) waiting.splice(1 + random.below(2), 0, pack);
    else if (random.chance(5)) waiting.splice(random.below(waiting.length + 1), 0, pack);
  }
}

/**
 * All of them end in the text that was recorded, with one frontier and one state hash; of the beginning of a recording in the
 * text of an author who was sent everything.
 */
export async function readByFive(name: string, authors: number, transactions?: number): Promise<void> {
  const { txns: all, endContent } = readRecording(name);
  const txns = all.slice(0, transactions);
  const room = await openRoom();
  const replicas = await Promise.all(Array.from({ length: authors }, (_, number) => join(room, number)));
  const sent = await typedAgain(txns, replicas);
  const [author] = replicas;
  for (const { agent, pack } of sent) if (agent !== 0) expect(reasons(await author!.receive(pack))).toEqual([]);
  const text = author!.text('text').toString();
  if (txns.length === all.length) expect(text).toBe(endContent);
  const packs = sent.map(({ pack }) => decodePack(pack));
  const texts = new Set<string>();
  const frontiers = new Set<string>();
  const hashes = new Set<string>();
  for (let number = 0; number < READERS; number++) {
    const random = new Random(number);
    const reader = await join(room, authors + number);
    await deliver(reader, joined(packs, random), random);
    texts.add(reader.text('text').toString());
    frontiers.add(reader.frontier.join());
    hashes.add(reader.stateHash);
  }
  expect([texts.size, frontiers.size, hashes.size]).toEqual([1, 1, 1]);
  expect([...texts]).toEqual([text]);
}
