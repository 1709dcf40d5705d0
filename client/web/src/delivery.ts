/**
 * Delivery of what other slots of this device have written and nobody has sent: of tabs that were closed or killed offline.
 * Loaded once the room is joined: what the page has already is handed to it, so that nothing is cut out of that for this.
 */
import type { RefusedNode, Replica, RoomClient } from '@weft/core/client';
import type { PeerKeys, createReplica } from '@weft/core/page';
import type { Refusals } from './refusals.js';
import type { Stored, readStored } from './storage/keeper.js';
import type { Records } from './storage/records.js';
import type { Slot, Slots, rowsOf, stateName } from './storage/slots.js';
import type { Tabs } from './tabs.js';

export interface DeliveryParts {
  readonly records: Records;
  readonly slots: Slots;
  /** The one of this tab. */
  readonly slot: Slot;
  readonly crypto: PeerKeys;
  readonly client: RoomClient;
  readonly refusals: Refusals;
  readonly createReplica: typeof createReplica;
  readonly readStored: typeof readStored;
  readonly rowsOf: typeof rowsOf;
  readonly stateName: typeof stateName;
}

/** Delivers all of it, tells other tabs what was refused, and gives up what they have found to be refused. */
export async function deliver(parts: DeliveryParts, tabs: Tabs | undefined): Promise<void> {
  const gone = await deliverAll(parts);
  if (gone.length > 0) await tabs?.gone(gone);
  await tabs?.giveUp();
}

/** Sends it under the keys of those slots. What is stored of them is given up when all of it is on the server. Answers what was refused for good. */
async function deliverAll(parts: DeliveryParts): Promise<readonly string[]> {
  const { records, slots, slot: ours, readStored, rowsOf, stateName } = parts;
  const refused: string[] = [];
  for await (const slot of slots.abandoned(ours.number)) {
    const stored = await readStored(records, slot.number);
    if (!stored) continue;
    const replica = await open(stored, slot, parts);
    if (!replica) continue; // for a build that can read it
    const { saved, gone } = await deliverOne(replica, parts);
    refused.push(...gone);
    const state = stateName(slot.number);
    const rows = { prefix: rowsOf(slot.number) };
    // A key that goes on needs to know what it wrote last; a retired one does not.
    const tidied = slot.isRetired
      ? records.write({ remove: [{ prefix: state }, rows] }, false)
      : records.write({ put: [[state, saved]], remove: [rows] }, true);
    await tidied.catch(() => undefined); // on a full device it stays, and is sent again to a server that knows it
  }
  return refused;
}

/** What was written on top of something refused is written anew, and sent again. */
const MOST_TURNS = 16;

/** The replica as it is then, saved, and what of it was refused for good. */
interface Delivered {
  readonly saved: Uint8Array;
  readonly gone: readonly string[];
}

/** Undefined where this build cannot read it: that keeps nothing else from being sent. */
async function open({ saved, rows }: Stored, { keys }: Slot, parts: DeliveryParts): Promise<Replica | undefined> {
  return parts.createReplica({ saved, rows, keys, crypto: parts.crypto }).catch(() => undefined);
}

async function deliverOne(replica: Replica, parts: DeliveryParts): Promise<Delivered> {
  const { client, refusals } = parts;
  const gone: string[] = [];
  const ends = replica.onRefused((held) => void refusals.add(held));
  try {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const nodes = await replica.seal();
      if (!nodes) break;
      const { rejected } = await client.request({ type: 'pack', nodes });
      const refused = rejected as readonly RefusedNode[];
      if (refused.length > 0) await Promise.all([replica.loadGivingUp(), client.replica.loadGivingUp()]);
      const lost = replica.confirm(nodes, refused).map(({ id }) => id);
      gone.push(...lost);
      // The tab may have begun with it.
      client.replica.giveUp(lost);
      // A server tells the others, not who has sent it. Where some was refused, the next connection brings the rest.
      if (refused.length === 0) await client.replica.receive(nodes);
    }
    return { saved: await replica.saveSqueezed(), gone };
  } finally {
    ends();
  }
}
