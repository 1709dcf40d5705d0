/**
 * What a server of rooms must survive. Each fault has a number, and at least one test that says it: `fault 7: …` in this
 * folder, `… [fault 7]` where a rule is proved that covers it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FAULTS: Readonly<Record<number, string>> = {
  1: 'a flood before hello',
  2: 'edits that come before their peer is let in, which it is not',
  3: 'random, cut and changed frames',
  4: 'lengths and counts beyond what has come',
  5: 'one huge frame, or a message in very many fragments',
  6: 'packs and frames that inflate without end',
  7: 'readers that stop',
  8: 'peers that send faster than what they sent is handled',
  9: 'pongs that are late because much waits before them',
  10: 'everybody coming back at once',
  11: 'the late end of a connection that has been replaced',
  12: 'a peer that is back while its old connection still hangs',
  13: 'packs twice, out of order, before what they stand on',
  14: 'very many nodes whose parents never come',
  15: 'one author with two nodes on one predecessor',
  16: 'forged authors, bad signatures, second encodings, weak keys',
  17: 'rights that are taken away meanwhile, nodes dated back',
  18: 'clocks far in the future',
  19: 'counters at their end',
  20: 'keys and values chosen to confuse',
  21: 'ten thousand heads',
  22: 'a chain of a million',
  23: 'trees of ids and keys bent out of shape',
  24: 'ids chosen to keep filters from decoding',
  25: 'storms of deletions',
  26: 'texts edited in the worst places',
  27: 'weeks of presence and nothing else',
  28: 'one poisoned room among others',
  29: 'a store that is slow, refuses, or is gone',
  30: 'torn writes, cut files, flipped bits',
  33: 'a local edit that no server would take',
  34: 'blobs that lie, never come, or are very many',
  35: 'archives that lie, lead outside, or go round in a circle',
  36: 'promotions at the same time, again, or too late',
  37: 'queries that would never end, or find too much',
  38: 'a server that ends in the middle of something',
  39: 'a machine that fails: disks, processors, waves of connections',
  40: 'children without what their parent holds, promotions that merge nothing',
  41: 'archives without what they are of, taken in half or from the wrong room',
  42: 'projections of another moment, or that look like others',
  43: 'hashes of a room that do not see its texts and lists',
};

const root = fileURLToPath(new URL('../../', import.meta.url));

function namesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => {
      const text = readFileSync(join(root, folder, path), 'utf8');
      return [...text.matchAll(/['`]fault (\d+): |\[fault (\d+)\]['`]/g)].map(([, own, tagged]) => own ?? tagged ?? '');
    });
}

describe('faults', () => {
  it('have a test for each number, and no other numbers', () => {
    const named = new Set(['core/src', 'server/src', 'test'].flatMap(namesIn).map(Number));
    expect([...named].sort((a, b) => a - b)).toEqual(Object.keys(FAULTS).map(Number));
  });
});
