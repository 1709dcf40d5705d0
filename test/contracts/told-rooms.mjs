/** What a host tells of its rooms, as JSON: to be compared with what it told when they were written. */
import { createHash } from 'node:crypto';

const plain = (value) =>
  JSON.parse(JSON.stringify(value, (_, inner) => (inner instanceof Uint8Array ? { bytes: [...inner] } : inner)));

export async function told(host, rooms = ['plans', 'child']) {
  const answers = {};
  for (const id of rooms) answers[id] = await host.withRoom(id, (room) => tell(room, host));
  return plain(answers);
}

async function tell(room, host) {
  const past = [];
  for (let part = 1; part < 4; part++) past.push((await room.asOf(Math.floor((room.seq * part) / 4))).stateHash);
  const ask = async (command, payload) => {
    const { events } = await host.submit({ room_id: room.id, command: { [command]: payload } });
    return Object.values(events[0])[0];
  };
  const packs = createHash('sha256');
  for (const pack of room.packs()) packs.update(pack);
  return {
    seq: room.seq,
    stateHash: room.stateHash,
    heads: room.heads,
    genesis: room.genesis.id,
    lineage: room.constitution.lineage,
    lock: room.facts.lock,
    policy: room.facts.policy,
    entries: [...room.entries()],
    text: room.text('text'),
    list: room.list('list'),
    past,
    children: (await ask('ListTopologyChildren', {})).children,
    rows: room.id === 'plans' ? (await ask('ReadProjection', { projection_id: 'p' })).rows : [],
    replay: (await ask('ReplayReadRange', { key_prefix: 'docs/', from_lamport: 0, limit: 50 })).items,
  };
}
