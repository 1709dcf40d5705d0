// Scenarios `chain` and `heads`: shapes of the graph that only an engine with a graph has, so Weft alone takes part.
import type { Replica } from '@weft/core';
import type { BenchOptions } from '../bench.js';
import type { Entrant } from '../measuring/entrant.js';
import { mustHold, perSecond, timed } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import { takesPart } from '../weft/beside-text.js';
import {
  WEFT_VERSION,
  joinPacks,
  newGenesis,
  newReplica,
  packOf,
  receiveWhole,
  sealedMessageOf,
} from '../weft/engine.js';

const CHAIN = 1_000_000;
const HEADS = 10_000;

export function chainEntrants({ edits, libs }: BenchOptions): readonly Entrant[] {
  const count = Math.min(edits ?? CHAIN, CHAIN);
  return weftAlone(libs, 'writes and reads a chain', [`${count} nodes, a character each`], () => writeChain(count));
}

export function headEntrants({ edits, libs }: BenchOptions): readonly Entrant[] {
  const count = Math.min(edits ?? HEADS, HEADS);
  let made: ReturnType<typeof writeHeads> | undefined;
  return weftAlone(libs, 'merges heads', [`${count} authors, a seal each`], async () => {
    made ??= writeHeads(count);
    return mergeHeads(await made);
  });
}

function weftAlone(libs: readonly string[], does: string, notes: string[], run: () => Promise<Figures>): Entrant[] {
  if (!takesPart(libs)) return [];
  return [{ lib: 'weft', version: WEFT_VERSION, form: '', notes, contender: { name: `weft ${does}`, run } }];
}

async function writeChain(count: number): Promise<Figures> {
  const genesis = await newGenesis();
  const author = await newReplica(genesis);
  const { ms: writeMs } = await timed(() => {
    const text = author.text('text');
    for (let position = 0; position < count; position += 1) text.insert(position, 'x');
  });
  const { ms: sealMs } = await timed(() => packOf(author));
  // All is sealed by now, so this is the pack alone.
  const { ms: packMs, result: pack } = await timed(() => packOf(author));
  const reader = await newReplica(genesis);
  const { ms: receiveMs } = await timed(() => receiveWhole(reader, pack));
  mustHold(reader.text('text').length === count, 'the reader lacks a part of the chain');
  mustAgree(author, reader);
  return {
    local_ops_s: perSecond(count, writeMs),
    seal_pack_ms: sealMs,
    pack_ms: packMs,
    pack_bytes: pack.length,
    remote_ops_s: perSecond(count, receiveMs),
    remote_ms: receiveMs,
  };
}

/** Heads: one message of each author, who has seen nothing of the others. */
async function writeHeads(count: number) {
  const genesis = await newGenesis();
  const messages: Uint8Array[] = [];
  for (let author = 0; author < count; author += 1) {
    const replica = await newReplica(genesis);
    replica.set(`head-${author}`, author);
    messages.push(await packOf(replica));
  }
  return { genesis, messages, pack: joinPacks(messages) };
}

async function mergeHeads({ genesis, messages, pack }: Awaited<ReturnType<typeof writeHeads>>): Promise<Figures> {
  const [each, whole] = [await newReplica(genesis), await newReplica(genesis)];
  const { ms: eachMs } = await timed(async () => {
    for (const message of messages) await receiveWhole(each, message);
  });
  const { ms: wholeMs } = await timed(() => receiveWhole(whole, pack));
  mustHold(whole.frontier.length === messages.length, 'not every author is a head');
  mustAgree(each, whole);

  // A node names at most 256 parents: joining them all takes a few.
  const { ms: mergeMs, result: merged } = await timed(async () => {
    do whole.set('merged', whole.frontier.length);
    while (whole.frontier.length > 1);
    return sealedMessageOf(whole);
  });
  const { ms: mergedMs } = await timed(() => receiveWhole(each, merged));
  mustHold(each.frontier.length === 1, 'the merge was not received');
  mustAgree(each, whole);
  return {
    remote_ops_s: perSecond(messages.length, eachMs),
    remote_ms: eachMs,
    whole_ms: wholeMs,
    pack_bytes: pack.length,
    merge_ms: mergeMs,
    merge_receive_ms: mergedMs,
  };
}

function mustAgree(one: Replica, other: Replica): void {
  mustHold(one.stateHash === other.stateHash, 'two replicas of the same nodes differ in their state');
}
