/** A budget, and an auditor's page: the host answers what was when, and whether an archive is what it says. */
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import { inProcessSocket } from '@weft/core/testing';
import { servePage } from '../serve-page.mjs';

const ROOM = 'budget';
const archives = memoryArchives(); // or archiveFolder(path) from '@weft/core/level'
const people = {};
let host;

/** Ann and Ben each write with a key of their own: every change is signed. */
async function fill(ours) {
  host = ours;
  const clients = {};
  for (const name of ['Ann', 'Ben']) {
    const keys = generateKeys();
    people[keys.publicKey] = name;
    clients[name] = await connectRoom({ socket: inProcessSocket(host, ROOM), keys });
  }
  for (const [name, key, amount] of [
    ['Ann', 'rent', 12000],
    ['Ann', 'travel', 1000],
    ['Ben', 'books', 400],
    ['Ben', 'travel', 1500],
    ['Ann', 'books', 350],
  ]) {
    clients[name].replica.set(key, amount);
    await clients[name].push();
  }
  for (const client of Object.values(clients)) client.close();
}

/** Asks the host as its operator, and answers the one event. */
async function ask(command) {
  const { events } = await host.submit({ room_id: ROOM, command });
  return Object.values(events[0])[0];
}

/** The log: who has signed which change. */
async function changes() {
  const { items } = await ask({ ReplayReadRange: { key_prefix: '' } });
  return items.flatMap(({ seq, author, ops }) =>
    ops
      .filter(({ kind, key }) => kind === 'set' && !key.startsWith('\0')) // the room's own facts begin so
      .map(({ key, value }) => ({ after: seq + 1, author, key, value })),
  );
}

/** Another archive, with one bit of it changed. */
async function tamper(from, to) {
  const file = await archives.open(from);
  const parts = [];
  for await (const part of file.read(0, file.size)) parts.push(part);
  const bytes = Buffer.concat(parts);
  bytes[Math.floor(bytes.length / 2)] ^= 1;
  await archives.put(to, [bytes]);
}

const answers = {
  '/people': () => people,
  '/changes': changes,
  '/hash': async () => (await host.room(ROOM)).stateHash,
  '/as-of': async (after) => Object.fromEntries((await (await host.room(ROOM)).asOf(Number(after))).entries()),
  '/archive': async (name) => {
    await ask({ ExportArchive: { room: ROOM, archive_ref: 'file://budget.weft' } });
    if (name === 'altered.weft') await tamper('budget.weft', name);
    return ask({ ValidateArchive: { room: ROOM, archive_ref: `file://${name}`, mode: 'full_integrity' } });
  },
};

await servePage(join(import.meta.dirname, 'page.js'), {
  settings: { archives: { stores: { file: archives } } },
  fill,
  answer: ({ url }) => {
    const [, path, of] = /^(\/[a-z-]+)(?:\/(.+))?$/.exec(url) ?? [];
    return answers[path]?.(of);
  },
});
