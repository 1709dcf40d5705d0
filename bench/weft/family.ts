// A large room on a disk, its children, and a promotion: what each costs.
import { type Host, type HostRequest, createHost, createReplica, generateKeys } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { mustHold, timed } from '../measuring/harness.js';
import { type Figures, median } from '../measuring/statistics.js';
import type { RoomOnDisk } from './opening.js';

const CHILDREN = 1000;
/** Nodes that are written in a child and promoted. */
const PROMOTED = 1000;

export async function measureFamily(room: RoomOnDisk): Promise<Figures> {
  const host = createHost({ store: levelStore(room.folder) });
  try {
    const parent = await host.room(room.name);
    const checkpoint = { canonical_hash: parent.stateHash, frontier: parent.heads.frontier };
    const before = process.memoryUsage().rss;
    const times: number[] = [];
    for (let i = 0; i < CHILDREN; i++) times.push((await timed(() => create(host, room.name, i, checkpoint))).ms);
    const child_mb = (process.memoryUsage().rss - before) / 1e6;
    const { ms: open_ms } = await timed(() => host.room(nameOf(CHILDREN - 1)));
    return { create_ms: median(times), children_mb: child_mb, open_ms, ...(await promote(host, room.name)) };
  } finally {
    await host.close();
  }
}

/** Another set of names in every round: what was made stays. */
let round = Date.now();
const nameOf = (child: number): string => `c${round}-${child}`;

function create(host: Host, room: string, child: number, parent_checkpoint: object): Promise<unknown> {
  const about = { child_purpose: 'bench', promotion_policy_id: 'promotion-based', parent_checkpoint };
  return ask(host, room, { CreateTopologyChild: { child_room_id: nameOf(child), ...about } });
}

async function promote(host: Host, room: string): Promise<Figures> {
  const child = await host.room(nameOf(0));
  const replica = await createReplica({ genesis: child.genesis.pack, keys: generateKeys() });
  for (const pack of child.packs()) await replica.receive(pack);
  for (let i = 0; i < PROMOTED; i++) replica.set(`promoted/${round}/${i}`, i);
  const { refused } = await child.admit((await replica.seal())!, { from: 'peer' });
  mustHold(refused.length === 0, 'the child refused a node');
  const wanted = { child_room_id: child.id, child_checkpoint_hash: child.stateHash, payload_ref: 'all' };
  const proposal = await ask(host, room, { ProposeTopologyPromotion: wanted });
  const proposal_id = String(proposal['proposal_id']);
  const { ms: validate_ms } = await timed(() => ask(host, room, { ValidateTopologyPromotion: { proposal_id } }));
  const { ms: apply_ms } = await timed(() => ask(host, room, { ApplyTopologyPromotion: { proposal_id } }));
  mustHold((await host.room(room)).get(`promoted/${round}/0`) === 0, 'nothing was promoted');
  round++;
  return { validate_ms, apply_ms };
}

async function ask(host: Host, room_id: string, command: HostRequest['command']): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command });
  return { ...Object.values(events[0] ?? {})[0] };
}
