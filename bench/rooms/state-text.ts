// A long text: one character is typed somewhere in it.
import type { Replica } from '@weft/core';
import { mustHold, perSecond, timed } from '../measuring/harness.js';
import { seeded, wholeBelow } from '../measuring/random.js';
import { type Figures, median, percentile } from '../measuring/statistics.js';
import { type Typing, readTyping } from '../text/text-edits.js';
import { newGenesis, newReplica, packOf, receiveWhole } from '../weft/engine.js';
import { TEXT_KEY, WeftReplica, manners } from '../weft/text-replica.js';

const KEYSTROKES = 1_000;

/** Run of keystrokes. All rounds share one text: a thousand characters more do not change what is measured. */
export function keystrokesRun(trace: string, edits: number | undefined): () => Promise<Figures> {
  let made: ReturnType<typeof typeText> | undefined;
  return async () => {
    made ??= typeText(readTyping(trace, edits));
    const { genesis, replica, figures } = await made;
    return { ...figures, ...(await typeSome(genesis, replica)) };
  };
}

async function typeText({ trace, edits, textAfter }: Typing) {
  const genesis = await newGenesis();
  const replica = await newReplica(genesis);
  const some = trace.edits.slice(0, edits);
  const { ms } = await timed(() => new WeftReplica(genesis, replica, manners.weft).typeAll(some));
  mustHold(replica.text(TEXT_KEY).toString() === textAfter(edits), 'the text is not that of the recording');
  const { ms: firstMs } = await timed(() => replica.stateHash);
  return { genesis, replica, figures: { build_ops_s: perSecond(edits, ms), first_hash_ms: firstMs } };
}

async function typeSome(genesis: Uint8Array, replica: Replica): Promise<Figures> {
  const random = seeded(52);
  const text = replica.text(TEXT_KEY);
  const seen = new Set([replica.stateHash]);
  const times: number[] = [];
  const { length } = text;
  await timed(() => {
    for (let stroke = 0; stroke < KEYSTROKES; stroke += 1) {
      const position = wholeBelow(random, text.length + 1);
      const started = performance.now();
      text.insert(position, 'x');
      const hash = replica.stateHash;
      times.push(performance.now() - started);
      seen.add(hash);
    }
  });
  mustHold(seen.size === KEYSTROKES + 1, 'a keystroke left the state hash as it was');
  const reader = await newReplica(genesis);
  await receiveWhole(reader, await packOf(replica));
  mustHold(reader.stateHash === replica.stateHash, 'a reader of all of it ends with another state hash');
  return { change_ms: median(times), change_p99_ms: percentile(times, 0.99), text_bytes: length };
}
