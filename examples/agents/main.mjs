/** Agents and a person in one room: a token lets each in, and the room's policy says who writes where. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defaultCrypto, fromHex, generateKeys, makeMandate, signToken } from '@weft/core';
import { servePage } from '../serve-page.mjs';
import { startAgent } from './agent.mjs';

const admin = generateKeys(); // of the application: it signs all tokens
const ann = generateKeys(); // a person above the keys of her pages: policy and token name her
const agents = ['careful', 'eager'].map((name) => ({ name, keys: generateKeys() }));

/** Ann's word that what this key writes is hers. */
const delegationOf = async (key) =>
  Buffer.from(await makeMandate('delegate', { key }, defaultCrypto.signer(fromHex(ann.seed)))).toString('hex');

/** A token for who has this key. It says who may enter; where each may write says the policy. */
const tokenFor = (peer) =>
  signToken(
    { room: 'desk', peer, expiry: Math.floor(Date.now() / 1000) + 600, caps: ['read:**', 'write:**'] },
    admin.seed,
  );

// Each agent has a corner. Questions and decisions are Ann's, and nobody writes anything else.
const policy = {
  default: 'deny',
  rules: [
    ...agents.map(({ name, keys }) => ({ path_glob: `agents/${name}/**`, can_write: [keys.publicKey] })),
    ...['question', 'decision'].map((key) => ({ path_glob: key, can_write: [ann.publicKey] })),
  ],
};

// Who has Ann's link is Ann. An application that has users asks its session in place of this.
const hash = `#${randomUUID()}`;
const answer = async ({ url, headers }) => {
  const [, key] = /^\/pass\/([0-9a-f]{64})$/.exec(url) ?? [];
  if (!key || headers.authorization !== hash) return undefined;
  return { token: await tokenFor(ann.publicKey), delegation: await delegationOf(key) };
};

const audience = await servePage(join(import.meta.dirname, 'page.js'), {
  settings: { adminKey: admin.publicKey, entry: { require: 'token' } },
  fill: (host) => host.submit({ room_id: 'desk', command: { SetPolicy: policy } }),
  answer,
  hash,
});

for (const { name, keys } of agents) {
  const leave = await startAgent({ name, keys, audience, token: tokenFor });
  process.once('SIGTERM', leave);
}
