/**
 * What compose.yaml says is tried without an engine for containers: each service runs as a process, with the command line, the variables
 * and the check of health that stand there, and the balancer with its file. Names of the network inside become ports of this machine.
 * `image.system.test.ts` brings it up with one.
 */
import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateKeys } from '@weft/core/client';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { parse } from 'yaml';
import { PostgresServer, freePort } from '../support/servers/postgres.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: object;
  readonly healthcheck?: { readonly test: readonly [string, ...string[]] };
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
}

/** Value as Compose has it: `${NAME:?why}` and `${NAME:-otherwise}` are variables of whoever calls it. */
function substituted(text: string, from: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, otherwise?: string) => {
    const value = from[name] ?? otherwise;
    if (value === undefined) throw new Error(`compose.yaml wants ${name}`);
    return value;
  });
}

/** Environment, check of health, entry point and command of an image, by its Dockerfile: those of its last stage. */
function imageOf(dockerfile: string) {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const words = (name: string): string[] =>
    JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(last)![1]!) as string[];
  const pairs = [...last.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
    line!.split(' ').map((pair) => pair.split('=')),
  );
  return {
    words: [...words('ENTRYPOINT'), ...words('CMD')],
    check: words('HEALTHCHECK .* CMD') as [string, ...string[]],
    environment: Object.fromEntries(pairs) as Record<string, string>,
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

function started(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
}

it('every service of compose.yaml runs with its command line, and peers behind the balancer count by their own addresses', async () => {
  const caller = { PASSWORD: '', BUS_PASSWORD: 'the-password-of-the-bus', ADMIN_TOKEN: 'the-token-of-compose' };
  const compose = parse(await readFile(join(deploy, 'compose/compose.yaml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly networks: {
      readonly inside: { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } };
    };
  };
  const { database, bus, balancer, ...processes } = compose.services as Record<string, Service>;
  expect(Object.keys(processes)).toEqual(['weft-1', 'weft-2', 'weft-3']);

  // The database that the image makes by its variables, and its check of health.
  const server = await PostgresServer.start();
  onTestFinished(() => server.stop());
  const { POSTGRES_USER: user, POSTGRES_DB: name, POSTGRES_PASSWORD } = database!.environment!;
  expect(substituted(POSTGRES_PASSWORD!, { ...caller, PASSWORD: 'secret' })).toBe('secret');
  const store = new URL(processes['weft-1']!.environment!['WEFT_STORE']!);
  expect([store.username, store.pathname, store.host]).toEqual([user, `/${name}`, 'database:5432']);
  await server.ask(`CREATE DATABASE ${name}`);
  const [shell, check] = database!.healthcheck!.test as readonly string[];
  expect(shell).toBe('CMD-SHELL');
  await run('sh', ['-c', check!], { env: { ...process.env, PGHOST: '127.0.0.1', PGPORT: String(server.port) } });

  const busPort = await freePort();
  const busArgs = bus!.command!.map((word) => substituted(word, caller));
  started('nats-server', [...busArgs, '-a', '127.0.0.1', '-p', String(busPort)]);
  await expect.poll(() => listens(busPort)).toBe(true);

  const address = (balancer!.networks as Readonly<Record<string, { readonly ipv4_address: string }>>)['inside']!
    .ipv4_address;
  const [network] = compose.networks.inside.ipam.config[0].subnet.split('.0/');
  expect(address.startsWith(`${network}.`)).toBe(true);
  const front = await freePort();
  const image = imageOf(await readFile(join(deploy, 'Dockerfile'), 'utf8'));
  expect(image.words).toEqual(['weft', 'serve']);
  let file = await readFile(join(deploy, 'compose/haproxy.cfg'), 'utf8');
  file = file.replace('bind :80\n', `bind 127.0.0.1:${front}\n`).replace('maxconn 20000', 'maxconn 200');
  for (const [at, { environment }] of Object.entries(processes)) {
    const [peers, admin, metrics] = [await freePort(), await freePort(), await freePort()];
    const said = Object.fromEntries(
      Object.entries({ ...image.environment, ...environment }).map(([key, value]) => [key, substituted(value, caller)]),
    );
    expect(said['WEFT_TRUST_PROXY']).toBe(address);
    const weft = new WeftProcess(image.words.slice(1), {
      env: {
        ...said,
        WEFT_STORE: server.address(name!, user!),
        PGPASSWORD: server.password,
        WEFT_BUS: said['WEFT_BUS']!.replace('bus:4222', `127.0.0.1:${busPort}`),
        WEFT_LISTEN: `127.0.0.1:${peers}`,
        WEFT_ADMIN_ADDR: `127.0.0.1:${admin}`,
        WEFT_METRICS_ADDR: `127.0.0.1:${metrics}`,
        WEFT_PUBLIC_HOST: said['WEFT_PUBLIC_HOST']!.replace('8080', String(front)),
        WEFT_TRUST_PROXY: said['WEFT_TRUST_PROXY']!.replace(address, '127.0.0.1'),
        WEFT_LIMIT_ADDRESS_CONNECTIONS: '1',
      },
    });
    await weft.line(/^ws:/);
    const [program, ...words] = image.check;
    await run(
      program,
      words.map((word) => word.replace(':9090/', `:${metrics}/`)),
    );
    await expect(
      run(
        program,
        words.map((word) => word.replace(':9090/', `:${front}/`)),
      ),
    ).rejects.toThrow();
    file = file.replace(`${at}:7878 port 7901`, `127.0.0.1:${peers} port ${admin}`);
  }
  const balancing = join(await tempFolder(), 'haproxy.cfg');
  await writeFile(balancing, file);
  await run('haproxy', ['-c', '-f', balancing]);
  started('haproxy', ['-db', '-f', balancing]);
  await expect.poll(() => listens(front)).toBe(true);

  /** What a peer from an address hears first, behind the balancer. */
  const heard = async (localAddress: string, room: string): Promise<unknown> => {
    const socket = new WebSocket(`ws://127.0.0.1:${front}/ws/${room}`, { localAddress });
    onTestFinished(() => socket.terminate());
    socket.once('open', () => socket.send(JSON.stringify({ type: 'hello', pubkey: generateKeys().publicKey })));
    const frame = await new Promise<string>((resolve, reject) =>
      socket.once('message', (data: Buffer) => resolve(String(data))).once('error', reject),
    );
    const { type, code } = JSON.parse(frame) as { readonly type: string; readonly code?: string };
    return code ?? type;
  };
  const isUp = (): Promise<boolean> =>
    new Promise((resolve) => {
      const asking = request({ host: '127.0.0.1', port: front, path: '/' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode !== 503);
      });
      asking.on('error', () => resolve(false)).end();
    });
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
  // A process that the others have not heard yet counts as being as full as they are.
  await expect.poll(() => heard('127.0.0.2', 'plans'), { timeout: 30_000 }).toBe('welcome');
  await expect.poll(() => heard('127.0.0.3', 'notes'), { timeout: 30_000 }).toBe('welcome');
  await expect.poll(() => heard('127.0.0.2', 'plans'), { timeout: 30_000 }).toBe('too-many-connections');
});
