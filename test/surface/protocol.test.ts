/**
 * Pin of the wire. The schemas themselves are pinned by docs/generated/protocol.md, whose digest changes with any of them:
 * when clients would notice the change, the protocol number goes up with it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { CLOSE, PROTOCOLS, commandTable } from '@weft/core';
import { expect, it } from 'vitest';

interface Spoken {
  readonly peer?: string;
  readonly send?: Fields;
  readonly sendBinary?: Fields;
  readonly expect?: Fields;
  readonly event?: Fields;
}
type Fields = Readonly<Record<string, unknown>>;

const folder = new URL('../../conformance/dialogues/', import.meta.url);
const dialogues = readdirSync(folder).map((file) => {
  const { steps }: { steps: readonly Spoken[] } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return { file, steps };
});

/** Frames that a dialogue expects. */
const expected = dialogues.flatMap(({ steps }) => steps.flatMap(({ expect: frame }) => (frame ? [frame] : [])));

/** What is heard of each command: `pack pack-ack` where a frame of that type is expected behind the command. */
const answered = new Set(
  dialogues.flatMap(({ steps }) => {
    const sent = new Set<unknown>();
    return steps.flatMap(({ send, sendBinary, expect: frame }) => {
      if (send ?? sendBinary) sent.add((send ?? sendBinary)?.['type']);
      return frame ? [...sent].map((type) => `${String(type)} ${String(frame['type'])}`) : [];
    });
  }),
);

/** Refusals that are heard: `compact-room rate-limit`, of the command that an error names, or that a rejection is of. */
const refused = new Set(
  expected.flatMap(({ type, command, code, reason_class: reason }) =>
    type === 'error'
      ? [`${String(command)} ${String(code)}`]
      : typeof reason === 'string'
        ? [`${String(type).replace(/\.rejected$/, '')} ${reason}`]
        : [],
  ),
);

it('every command is spoken in a dialogue, and every answer of it is heard behind it', () => {
  const wanted = [...commandTable.commands].flatMap(([type, { out }]) =>
    Object.keys(out).map((answer) => `${type} ${answer}`),
  );
  expect(wanted.filter((pair) => !answered.has(pair))).toEqual([]);
});

/** Refusals that take a peer whose socket takes nothing: `session/meanwhile.test.ts` hears them. */
const UNHEARD = ['request rate-limit', 'subscribe rate-limit', 'mst-done rate-limit'];

it('every refusal of a command is heard in a dialogue, of that command', () => {
  const wanted = [...commandTable.commands].flatMap(([type, { refuses }]) =>
    refuses.map((reason) => `${type} ${reason}`),
  );
  expect(wanted.filter((pair) => !refused.has(pair)).sort()).toEqual([...UNHEARD].sort());
});

it('every text of an error is said in the dialogue that expects it', () => {
  const silent = dialogues.flatMap(({ file, steps }) =>
    steps.flatMap(({ expect: frame }) => ([frame?.['msg'], frame?.['reason_message']].includes('$any') ? [file] : [])),
  );
  expect(silent).toEqual([]);
});

it('each step of a reconciliation that a server says is heard, a filter that decodes, and an upload that is there', () => {
  const steps = expected.flatMap(({ type, step }) => (type === 'reconcile' ? [String(step)] : []));
  const said = ['ahead', 'differ', 'no-tips', 'nodes', 'other-tips', 'same', 'symbols'];
  expect([...new Set(steps)].sort()).toEqual(said);
  expect(expected.some(({ type, missing }) => type === 'welcome' && Array.isArray(missing) && missing.length > 0)).toBe(
    true,
  );
  expect(answered).toContain('blob-uploaded blob-available');
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
  const heard = new Set(dialogues.flatMap(({ steps }) => steps.flatMap(({ event = {} }) => Object.keys(event))));
  expect([...answers, 'SyncDiffComputed', 'PackInspected'].filter((event) => !heard.has(event))).toEqual([]);
});

it('protocol numbers', () => {
  expect(PROTOCOLS).toEqual([1]);
});

it('close codes', () => {
  expect(Object.values(CLOSE).map(({ code }) => code)).toEqual([1001, 1008, 1009, 1011, 1012, 4001, 4002, 4008]);
});
