/**
 * Pin of the wire. The schemas themselves are pinned by docs/generated/protocol.md, whose digest changes with any of them:
 * when clients would notice the change, the protocol number goes up with it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { CLOSE, PROTOCOLS, commandTable } from '@weft/core';
import { expect, it } from 'vitest';

const folder = new URL('../conformance/dialogues/', import.meta.url);
const dialogues = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** Frames that a dialogue expects. */
const expected = dialogues.flatMap((text) => {
  const { steps }: { steps: readonly { readonly expect?: Readonly<Record<string, unknown>> }[] } = JSON.parse(text);
  return steps.flatMap(({ expect: frame }) => (frame ? [frame] : []));
});

it('every command, answer and refusal is spoken in a dialogue', () => {
  const isSilent = (word: string): boolean => !dialogues.some((text) => text.includes(`"${word}"`));
  const words = [...commandTable.commands].flatMap(([type, { out, refuses }]) => [
    type,
    ...Object.keys(out),
    ...refuses,
  ]);
  expect(words.filter(isSilent)).toEqual([]);
});

it('every refusal that a command of the control plane has is heard in a dialogue, and it has no other', () => {
  const heard = expected.flatMap(({ type, command, code, reason_class: reason }) => {
    if (type === 'error' && String(code).startsWith('reject.')) return [`${command} ${code}`];
    return typeof reason === 'string' ? [`${String(type).replace(/\.rejected$/, '')} ${reason}`] : [];
  });
  const declared = [...commandTable.commands].flatMap(([type, { refuses }]) =>
    refuses.filter((reason) => reason.startsWith('reject.')).map((reason) => `${type} ${reason}`),
  );
  expect([...new Set(heard)].sort()).toEqual(declared.sort());
});

it('the commands for looking into a room without a connection are answered in a dialogue', () => {
  const answers = ['CheckpointPromoted', 'FrontierQueried', 'CausalParentsQueried', 'CanonicalResolutionQueried'];
  for (const event of [...answers, 'SyncDiffComputed', 'PackInspected'])
    expect(
      dialogues.some((text) => text.includes(`"${event}": {`)),
      event,
    ).toBe(true);
});

it('protocol numbers', () => {
  expect(PROTOCOLS).toEqual([1]);
});

it('close codes', () => {
  expect(Object.values(CLOSE).map(({ code }) => code)).toEqual([1001, 1008, 1009, 1011, 1012, 4001, 4002, 4008]);
});
