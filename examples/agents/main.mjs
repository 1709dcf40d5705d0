/** Agents in a room with a person: each has a token for its own corner, and what it has no right to is refused. */
import { createHost, generateKeys, keepRoom, signToken } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import WebSocket from 'ws';

const admin = generateKeys();
const host = createHost({ store: memoryStore(), adminKey: admin.publicKey, entry: { require: 'token' } });
const server = await startServer({ host, listen: '127.0.0.1:0', log: () => undefined });
const { host: audience } = new URL(server.url.replace('<room>', 'desk'));

/** Enters the room as somebody, with a token that the application has signed. */
async function enter(caps) {
  const keys = generateKeys();
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const token = await signToken({ room: 'desk', peer: keys.publicKey, expiry, caps }, admin.seed);
  const open = () => new WebSocket(`ws://${audience}/ws/desk`);
  const client = keepRoom({ open, keys, token, room: 'desk', audience });
  await client.joined;
  return client;
}

const person = await enter(['read:**', 'write:**']);
const agents = await Promise.all(['count', 'shout'].map((name) => enter(['read:**', `write:answers/${name}/**`])));
const acts = { count: (text) => text.split(' ').length, shout: (text) => text.toUpperCase() };

// Each agent answers what is asked, in its own corner.
Object.entries(acts).forEach(([name, act], i) => {
  const { replica } = agents[i];
  const done = new Set();
  const answer = () => {
    for (const [key, text] of replica.entries('questions/')) {
      const id = key.slice('questions/'.length);
      if (done.has(id)) continue;
      done.add(id);
      replica.set(`answers/${name}/${id}`, act(text));
    }
  };
  replica.observe({ prefix: 'questions/' }, answer);
  answer();
});

const answered = new Promise((resolve) => {
  person.replica.observe({ prefix: 'answers/' }, () => {
    const answers = Object.fromEntries(person.replica.entries('answers/'));
    if (Object.keys(answers).length === 2) resolve(answers);
  });
});
person.replica.set('questions/1', 'how many words');
console.log(await answered);

// The one that counts tries to answer for the other.
const refused = new Promise((resolve) => agents[0].onRefused(([node]) => resolve(node.reason)));
agents[0].replica.set('answers/shout/1', 'HA');
console.log(`refused: ${await refused}; it still says ${person.replica.get('answers/shout/1')}`);

for (const client of [person, ...agents]) client.close();
await server.close();
await host.close();
