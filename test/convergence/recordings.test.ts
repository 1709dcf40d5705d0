import { type Replica, createHost, createReplica, decodePack, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it } from 'vitest';
import { type Recording, readRecording, replay, spliced } from './recording.js';

const openRoom = () => createHost({ store: memoryStore() }).room('room');
type Room = Awaited<ReturnType<typeof openRoom>>;
const join = (room: Room): Promise<Replica> => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });

async function sealed(replica: Replica): Promise<Uint8Array> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to seal');
  replica.confirm();
  return pack;
}

/**
 * One replica per agent, each of which hears of the others' work exactly when the recording says so: what a
 * transaction names as its parents is what its author had seen.
 */
class Agents {
  readonly #recording: Recording;
  readonly #replicas: readonly Replica[];
  /** Transactions that another agent has seen by name: there their author seals and sends. */
  readonly #sent: ReadonlySet<number>;
  /** Per agent its packs in order, each with the transaction that it ends with. */
  readonly packs: { readonly end: number; readonly pack: Uint8Array }[][];
  /** Per agent, how many packs of each agent it has received. */
  readonly #received: number[][];
  /** For each transaction the newest transaction of each agent that it has in its past, itself included. */
  readonly #seen: number[][] = [];

  constructor(recording: Recording, replicas: readonly Replica[]) {
    this.#recording = recording;
    this.#replicas = replicas;
    const { txns } = recording;
    this.#sent = new Set(
      txns.flatMap(({ agent, parents = [] }) => parents.filter((parent) => txns[parent]?.agent !== agent)),
    );
    this.packs = replicas.map(() => []);
    this.#received = replicas.map(() => replicas.map(() => 0));
  }

  async replay(): Promise<void> {
    for (const [index, { agent = 0, parents = [], patches }] of this.#recording.txns.entries()) {
      const seen = this.#replicas.map((_, other) => Math.max(-1, ...parents.map((p) => this.#seen[p]?.[other] ?? -1)));
      await this.#receive(agent, seen);
      const replica = this.#replicas[agent];
      if (!replica) throw new Error(`there is no agent ${agent}`);
      replay(patches, replica.text('text'));
      seen[agent] = index;
      this.#seen.push(seen);
      if (this.#sent.has(index)) this.packs[agent]?.push({ end: index, pack: await sealed(replica) });
    }
    for (const [agent, replica] of this.#replicas.entries()) {
      const pack = await replica.seal();
      if (pack) this.packs[agent]?.push({ end: Number.POSITIVE_INFINITY, pack });
    }
    for (const agent of this.#replicas.keys())
      await this.#receive(
        agent,
        this.#replicas.map(() => Number.POSITIVE_INFINITY),
      );
  }

  /** Until nobody has anything more that lies before what the agent has seen of each. */
  async #receive(agent: number, seen: readonly number[]): Promise<void> {
    const received = this.#received[agent] ?? [];
    for (let more = true; more;) {
      more = false;
      for (const [other, packs] of this.packs.entries()) {
        const next = packs[received[other] ?? 0];
        if (other === agent || !next || next.end > (seen[other] ?? -1)) continue;
        const { refused } = (await this.#replicas[agent]?.receive(next.pack)) ?? { refused: [] };
        // Refused is what stands on packs of a third agent, which come in the next round.
        if (refused.length > 0) continue;
        received[other] = (received[other] ?? 0) + 1;
        more = true;
      }
    }
  }
}

describe('recorded typing', () => {
  it.each(['sveltecomponent', 'friendsforever_flat.ascii'])(
    '[SQ1] of one author gives the recorded text: %s',
    async (name) => {
      const { endContent, txns, startContent = '' } = readRecording(name);
      const room = await openRoom();
      const replica = await join(room);
      const editor = replica.text('text');
      if (startContent !== '') editor.insert(0, startContent);
      let model = startContent;
      for (const [index, { patches }] of txns.entries()) {
        replay(patches, editor);
        model = spliced(model, patches);
        if (index % 2000 === 0) expect(editor.toString()).toBe(model);
      }
      expect(editor.toString()).toBe(endContent);

      const pack = await sealed(replica);
      expect((await room.admit(decodePack(pack), { from: 'peer' })).refused).toEqual([]);
      expect(room.text('text')).toBe(endContent);
      const newcomer = await join(room);
      for (const part of room.packs()) expect((await newcomer.receive(part)).refused).toEqual([]);
      expect(newcomer.text('text').toString()).toBe(endContent);
    },
  );

  it.each([
    ['friendsforever.concurrent', 2],
    ['clownschool.concurrent', 3],
  ])('[MP2] of several authors at once gives the recorded text everywhere: %s', async (name, authors) => {
    const recording = readRecording(name);
    const room = await openRoom();
    const replicas = await Promise.all(Array.from({ length: authors }, () => join(room)));
    const agents = new Agents(recording, replicas);
    await agents.replay();
    // Who only reads hears of the agents in another order: of each as much as can be had, the last one first.
    const reader = await join(room);
    const left = agents.packs.map((packs) => packs.map(({ pack }) => pack));
    for (let before = -1, count = 0; count !== before;) {
      before = count;
      for (const packs of left.toReversed()) {
        for (; packs[0] && (await reader.receive(packs[0])).refused.length === 0; count++) packs.shift();
      }
    }
    expect(left.flat()).toEqual([]);
    replicas.push(reader);
    for (const replica of replicas) {
      expect(replica.text('text').toString()).toBe(recording.endContent);
      expect(replica.frontier).toEqual(replicas[0]?.frontier);
    }
  });
});
