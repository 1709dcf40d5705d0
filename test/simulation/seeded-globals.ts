/**
 * Chance and time of the process while a simulation runs: both follow from its seed. Whatever asks the runtime instead of a
 * port is in the simulation too, and none of it can make two runs differ.
 */
import type { Random } from '../convergence/random.js';
import type { Timeline } from './timeline.js';

/** Puts them in place; the result puts back what was there. */
export function seedGlobals(random: Random, timeline: Timeline): () => void {
  const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
    return view;
  };
  const digits = (length: number): string => Array.from({ length }, () => random.below(16).toString(16)).join('');
  const start = timeline.now();
  const restore = [
    replace(globalThis.crypto, 'getRandomValues', fill),
    replace(
      globalThis.crypto,
      'randomUUID',
      () => `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
    ),
    replace(Math, 'random', () => random.below(2 ** 30) / 2 ** 30),
    replace(Date, 'now', () => timeline.now()),
    replace(performance, 'now', () => timeline.now() - start),
    replace(globalThis, 'setTimeout', (act: () => void, ms = 0) => timeline.after(ms, act)),
    replace(AbortSignal, 'timeout', (ms: number) => {
      const timeout = new AbortController();
      timeline.after(ms, () => timeout.abort(new DOMException('The operation timed out.', 'TimeoutError')));
      return timeout.signal;
    }),
  ];
  return () => {
    for (const undo of restore.reverse()) undo();
  };
}

function replace(of: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { value, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(of, name, own);
    else Reflect.deleteProperty(of, name);
  };
}
