/** Programs that only answer as models, confined on this machine as all programs are. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { wallClock } from '../clock.js';
import { requestOf } from '../testing/models/provider-battery.js';
import { tempFolder } from '../testing/temp-folder.js';
import { NodeEgress } from '../workspace/egress/node-egress.js';
import type { Confinement } from '../workspace/sandbox/confinement.js';
import { findConfinement } from '../workspace/sandbox/node-confinement.js';
import { Credentials } from './credentials.js';
import { type ModelOptions, Models } from './models.js';

/** A program that answers as claude does: what it sees and reaches, and how often it was asked in its home. */
const PROGRAM = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const [secret, other] = process.argv.slice(2);
const reaches = (url) => fetch(url).then(() => true, () => false);
const kept = process.env.CLAUDE_CONFIG_DIR === undefined ? undefined : process.env.CLAUDE_CONFIG_DIR + '/asked';
if (kept) appendFileSync(kept, 'x');
const seen = {
  secret: existsSync(secret),
  key: process.env.ANTHROPIC_API_KEY ?? 'none',
  model: await reaches(process.env.ANTHROPIC_BASE_URL),
  other: await reaches(other),
  asked: kept ? readFileSync(kept, 'utf8').length : 0,
};
for await (const _ of process.stdin);
process.stdout.write(JSON.stringify({ type: 'result', result: JSON.stringify(seen), session_id: 's' }) + '\\n');
`;

async function listening(): Promise<string> {
  const server = createServer((_, response) => void response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function begun(options: Partial<ModelOptions> = {}, confinement?: Confinement) {
  const base = await tempFolder();
  const own = join(base, 'studio');
  const program = join(base, 'node_modules', 'agent', 'main.mjs');
  const secret = join(base, 'login');
  await mkdir(join(program, '..'), { recursive: true });
  await writeFile(program, PROGRAM);
  await writeFile(secret, 'of the user');
  const [model, other] = [await listening(), await listening()];
  const egress = await NodeEgress.open(join(base, 'egress'));
  const models = await Models.open(
    { commands: { 'claude-cli': [process.execPath, program, secret, other] }, ...options },
    {
      credentials: new Credentials({}, { mine: 'the key' }),
      clock: wallClock,
      random: Math.random,
      folder: join(own, 'models'),
      confinement: confinement ?? (await findConfinement(own)),
      egress,
    },
  );
  onTestFinished(async () => {
    await models.close();
    await egress.close();
  });
  const answered = async (): Promise<unknown> => {
    const provider = await models.provider({
      provider: 'claude-cli',
      model: 'm',
      baseUrl: model,
      credentialRef: 'mine',
    });
    const request = requestOf([{ role: 'user', text: 'What do you see?' }]);
    return JSON.parse((await provider.turn(request, { signal: new AbortController().signal })).text);
  };
  return { answered };
}

it('sees nothing of its user, reaches its model alone, and keeps its conversations', async () => {
  const { answered } = await begun();
  const seen = { secret: false, key: 'the key', model: true, other: false };
  expect(await answered()).toEqual({ ...seen, asked: 1 });
  expect(await answered()).toEqual({ ...seen, asked: 2 });
});

it('runs as its user where a person has said so', async () => {
  const { answered } = await begun({ unconfined: ['claude-cli'] });
  expect(await answered()).toMatchObject({ secret: true, other: true, asked: 0 });
});

it('is not run where nothing confines it and nobody has said that it may', async () => {
  const { answered } = await begun({}, { kind: 'missing', why: 'bubblewrap (bwrap) is not installed' });
  await expect(answered()).rejects.toThrow('node is not run: bubblewrap (bwrap) is not installed');
});
