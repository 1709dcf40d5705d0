import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { createHost } from '../engine.js';
import type { HostEvent } from '../host/host-door.js';
import { connectRoom, createReplica, generateKeys } from '../peer.js';
import { Rejection } from '../rejection.js';
import { type Submit, submitter } from '../testing/host-commands.js';
import { inProcessSocket } from '../testing/in-process-socket.js';

const namespace = 'n';
const key = fc.constantFrom('a', 'b');
const small = fc.nat(5);
const of = { namespace: fc.constant(namespace), key };

/** Commands by name, with what they are given; `id` stands for a character of the text. */
const command = fc.oneof(
  fc.record({ MapSet: fc.record({ ...of, value: small }) }),
  fc.record({ MapDelete: fc.record(of) }),
  fc.record({
    TextInsert: fc.record({ ...of, after_id: fc.constantFrom(null, 'id'), ch: fc.constantFrom('x', '😀') }),
  }),
  fc.record({ TextDelete: fc.record({ ...of, target_id: fc.constant('id') }) }),
  fc.record({ ListPush: fc.record({ ...of, value: small }) }),
  fc.record({ ListInsert: fc.record({ ...of, index: small, value: small }) }),
  fc.record({ ListDelete: fc.record({ ...of, index: small }) }),
  fc.record({ ListMove: fc.record({ ...of, from_index: small, to_index: small }) }),
  fc.record({ ListUpdate: fc.record({ ...of, index: small, value: small }) }),
  fc.record({ PresenceSet: fc.record({ session_id: fc.constant(1), data: small }) }),
  fc.constantFrom('EnsureRoom', 'StopTick', 'CompactRoom', 'import', 'peer'),
);

type Step = Exclude<Parameters<Submit>[0], string> | string;

/** Names the last character of the text where a command says `id`. */
async function named(submit: Submit, step: Step): Promise<Step> {
  const text = JSON.stringify(step);
  if (!text.includes('"id"')) return step;
  const [event] = await submit({ TextGet: { namespace, key: text.includes('"a"') ? 'a' : 'b' } });
  const entries = event?.['TextValueRead']?.['entries'] as { id: string }[];
  return JSON.parse(text.replaceAll('"id"', JSON.stringify(entries.at(-1)?.id ?? null))) as Step;
}

/** Edits as one may; a replica refuses to mix values, texts and lists on one key, which a command may have begun otherwise. */
function unlessMixed(edit: () => void): void {
  try {
    edit();
  } catch (error) {
    if (!(error instanceof Rejection) || error.reason !== 'invalid-value') throw error;
  }
}

describe('host commands and frames of peers', () => {
  it('[MP2] [HC3] end with one state: of the room, opened again too, of who was there, in any way, and of who joins', async () => {
    const steps = fc.array(fc.array(command, { maxLength: 6 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (rounds) => {
        const store = memoryStore();
        const events: HostEvent[] = [];
        const host = createHost({ store, onEvent: (event) => events.push(event) });
        const submit = submitter(host);
        const room = await host.room('room');
        const replicaOf = () => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
        const importer = await replicaOf();
        const client = await connectRoom({ socket: inProcessSocket(host, 'room'), keys: generateKeys() });
        await submit('EnsureRoom'); // before that a room holds less than its replicas, which have its genesis
        await submit({ OpenSession: { session_id: 1, peer_pubkey_hex: generateKeys().publicKey } });

        const run = async (step: Step): Promise<unknown> => {
          if (step === 'peer') {
            unlessMixed(() => client.replica.set('n/a', 'peer'));
            unlessMixed(() => client.replica.text('n/t').insert(0, 'p'));
            unlessMixed(() => client.replica.list('n/b').push('p'));
            return client.push();
          }
          if (step === 'import') {
            importer.text('n/b').insert(0, 'i');
            importer.set('n/b', 'import');
            const pack = await importer.seal();
            return pack && submit({ ImportPack: { nodes_b64: toBase64(pack) } });
          }
          return submit(await named(submit, step)).catch((error: { reason?: string }) => {
            // What was named may have gone, and compacting is not done twice in a minute.
            if (error.reason !== 'invalid-command' && error.reason !== 'rate-limit') throw error;
          });
        };
        for (const round of rounds) await Promise.all(round.map(run));

        const state = room.stateHash;
        await expect.poll(() => client.replica.stateHash, { interval: 1 }).toBe(state);
        const newcomer = await connectRoom({ socket: inProcessSocket(host, 'room'), keys: generateKeys() });
        await expect.poll(() => newcomer.replica.stateHash, { interval: 1 }).toBe(state);
        const listener = await replicaOf();
        for (const { SessionHeard: heard } of events) {
          const { nodes } = heard?.['frame'] as { nodes?: string };
          if (nodes !== undefined) await listener.receive(fromBase64(nodes));
        }
        expect(listener.stateHash).toBe(state);
        client.close();
        newcomer.close();
        await host.close();
        expect((await createHost({ store }).room('room')).stateHash).toBe(state);
      }),
      { numRuns: 7 },
    );
  });
});
