/** A room, its child, and people who write in both. */
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { same } from './batteries/battery.js';

export const join = async (room: Room): Promise<Replica> => {
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  await pull(replica, room);
  return replica;
};

export async function pull(replica: Replica, room: Room): Promise<void> {
  for (const pack of room.packs()) same((await replica.receive(pack)).refused.length, 0);
}

export async function push(replica: Replica, room: Room): Promise<void> {
  same((await room.admit((await replica.seal())!, { from: 'peer' })).refused.length, 0);
  replica.confirm();
}

export class Family {
  readonly store: Store;
  readonly host: Host;
  readonly parent: Room;
  readonly child: Room;
  readonly inParent: Replica;
  readonly inChild: Replica;

  private constructor(store: Store, host: Host, [parent, child]: readonly Room[], replicas: readonly Replica[]) {
    [this.store, this.host] = [store, host];
    [this.parent, this.child] = [parent!, child!];
    [this.inParent, this.inChild] = [replicas[0]!, replicas[1]!];
  }

  static async make(policy = 'promotion-based'): Promise<Family> {
    const store = memoryStore();
    const host = createHost({ store });
    const parent = await host.room('parent');
    const inParent = await join(parent);
    inParent.set('both', 0);
    inParent.text('t').insert(0, 'parent');
    await push(inParent, parent);
    const parent_checkpoint = { canonical_hash: parent.stateHash, frontier: parent.heads.frontier };
    const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: policy, parent_checkpoint };
    await host.submit({ room_id: 'parent', command: { CreateTopologyChild: wanted } });
    const child = await host.room('child');
    return new Family(store, host, [parent, child], [inParent, await join(child)]);
  }

  async ask(variant: string, payload: object): Promise<Record<string, unknown>> {
    const { events } = await this.host.submit({ room_id: 'parent', command: { [variant]: payload } });
    const body = Object.values(events[0]!)[0]!;
    const { reason_class: reason, reason_message: message } = body;
    if (reason !== undefined) throw Object.assign(new Error(String(message)), { reason });
    return { ...body };
  }

  propose(other: object = {}): Promise<Record<string, unknown>> {
    const wanted = {
      child_room_id: 'child',
      child_checkpoint_hash: this.child.stateHash,
      payload_ref: 'all',
      ...other,
    };
    return this.ask('ProposeTopologyPromotion', wanted);
  }

  async proposed(other: object = {}): Promise<string> {
    return String((await this.propose(other))['proposal_id']);
  }

  validate(proposal_id: string): Promise<Record<string, unknown>> {
    return this.ask('ValidateTopologyPromotion', { proposal_id });
  }

  apply(proposal_id: string): Promise<Record<string, unknown>> {
    return this.ask('ApplyTopologyPromotion', { proposal_id });
  }

  /** Keys of a proposal, each with whose value will stand, and `!` where both have changed it. */
  async previewed(proposal_id: string): Promise<Record<string, string>> {
    const { changes } = await this.ask('PreviewTopologyPromotion', { proposal_id });
    const rows = changes as { key: string; is_conflict: boolean; stands: string }[];
    return Object.fromEntries(rows.map(({ key, is_conflict, stands }) => [key, is_conflict ? `${stands}!` : stands]));
  }

  async promote(other: object = {}): Promise<Record<string, unknown>> {
    const id = await this.proposed(other);
    await this.validate(id);
    return this.apply(id);
  }

  async writeInChild(write: (replica: Replica) => void): Promise<void> {
    await pull(this.inChild, this.child);
    write(this.inChild);
    await push(this.inChild, this.child);
  }

  async writeInParent(write: (replica: Replica) => void): Promise<void> {
    await pull(this.inParent, this.parent);
    write(this.inParent);
    await push(this.inParent, this.parent);
  }
}
