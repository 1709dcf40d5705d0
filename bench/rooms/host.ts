// Commands of the embedding API in process: one after another, and many at the same time.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host, type HostRequest, type Store, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { nativeCrypto } from '@weft/core/testing';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { collectGarbage, mustHold, perSecond } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const WARM = 500;
const COMMANDS = 2000;
/** Sets of the run with many at the same time, and how many of them wait together. */
const SETS = 20_000;
const IN_FLIGHT = 500;
/** Bytes that a seal signs: a tag of 13 and an id. */
const SIGNED_BYTES = 45;

const columns: readonly Column[] = [
  { figure: 'sign_us', title: 'a bare signature µs', digits: 1 },
  { figure: 'frontier_us', title: 'GetFrontier µs', digits: 1 },
  { figure: 'set_us', title: 'MapSet µs, one by one', digits: 1 },
  { figure: 'text_us', title: 'TextInsert µs, one by one', digits: 1 },
  { figure: 'sets_us', title: `MapSet µs, ${IN_FLIGHT} at a time`, digits: 1 },
  { figure: 'sets_s', title: 'the same /s', digits: 0 },
];

export const hostBench: Bench = {
  name: 'host',
  summary: 'commands of the embedding API, answered when they are durable: one by one, and many at a time',
  columns,
  run: runHost,
};

async function runHost(options: BenchOptions): Promise<readonly Row[]> {
  const sets = Math.min(options.edits ?? SETS, SETS);
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  let runs = 0;
  const entrants = [
    entrant('memory', sets, memoryStore),
    entrant('level', sets, () => levelStore(join(folder, String(++runs)))),
  ];
  return runEntrants('host', 'commands', entrants, options).finally(() => rm(folder, { recursive: true }));
}

function entrant(form: string, sets: number, newStore: () => Store): Entrant {
  const contender = { name: `weft, ${form}`, run: () => measure(newStore(), sets) };
  return { lib: 'weft', version: WEFT_VERSION, form, notes: [`${sets} sets`], contender };
}

async function measure(store: Store, sets: number): Promise<Figures> {
  const host = createHost({ store });
  try {
    const commands = Math.min(sets, COMMANDS);
    for (let i = 0; i < Math.min(sets, WARM); i++) await ask(host, setOf(i));
    const sign_us = await bareSignature(commands);
    const frontier_us = await eachTime(commands, () => ask(host, 'GetFrontier'));
    const set_us = await eachTime(commands, (i) => ask(host, setOf(i)));
    const text_us = await eachTime(commands, () => ask(host, { TextInsert: { namespace: 'n', key: 'text', ch: 'x' } }));
    const { seq } = await host.room('bench');
    collectGarbage();
    const started = performance.now();
    for (let made = 0; made < sets; made += IN_FLIGHT)
      await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, sets - made) }, (_, i) => ask(host, setOf(made + i))));
    const ms = performance.now() - started;
    const room = await host.room('bench');
    mustHold(room.seq === seq + sets, 'the log does not have every set');
    mustHold(room.get('n/0') === sets - 1 - ((sets - 1) % KEYS), 'the last set does not count');
    return { sign_us, frontier_us, set_us, text_us, sets_us: (ms * 1000) / sets, sets_s: perSecond(sets, ms) };
  } finally {
    await host.close();
  }
}

/**
 * Time of a bare signature, of as many bytes as a seal signs, through the engine's own port: no sealed write takes
 * less.
 */
async function bareSignature(count: number): Promise<number> {
  const signer = nativeCrypto()?.signer(randomBytes(32));
  if (!signer) throw new Error('This runtime has no crypto module of its own.');
  const message = randomBytes(SIGNED_BYTES);
  return eachTime(count, () => signer.sign(message));
}

const KEYS = 100;
const setOf = (i: number) => ({ MapSet: { namespace: 'n', key: String(i % KEYS), value: i } });

function ask(host: Host, command: HostRequest['command']): Promise<unknown> {
  return host.submit({ room_id: 'bench', command });
}

/** Median time of an action, in microseconds. */
async function eachTime(count: number, act: (i: number) => Promise<unknown>): Promise<number> {
  collectGarbage();
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await act(i);
    times.push((performance.now() - started) * 1000);
  }
  return median(times);
}
