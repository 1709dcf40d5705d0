/**
 * PostgreSQL of this machine as a real server of a test's own: a cluster in a temporary folder, on a port of loopback, run by a user
 * without rights, and ended by its process id.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);
const NOBODY = 65534;
/** PostgreSQL does not run as root. */
const LESS = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const isRoot = process.getuid?.() === 0;

export interface PostgresSettings {
  readonly [name: string]: string;
}

export interface PostgresOptions {
  readonly settings?: PostgresSettings;
  /** Folder for the cluster, in place of a temporary one. */
  readonly within?: string;
}

export class PostgresServer {
  readonly port: number;
  readonly password: string;
  readonly #folder: string;
  readonly #settings: PostgresSettings;
  #child: ChildProcess | undefined;
  #made = 0;

  private constructor(
    folder: string,
    port: number,
    settings: PostgresSettings,
    password = randomBytes(8).toString('hex'),
  ) {
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
    this.password = password;
  }

  static async start({ settings = {}, within = tmpdir() }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = await mkdtemp(join(within, 'weft-postgres-'));
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    const server = new PostgresServer(folder, await freePort(), settings);
    const secret = join(folder, 'password');
    await writeFile(secret, server.password, { mode: 0o644 });
    const made = [
      '-D',
      server.#data,
      '-U',
      'weft',
      '--auth=scram-sha-256',
      '--pwfile',
      secret,
      '-E',
      'UTF8',
      '--locale=C',
    ];
    await run(...withLessRights([join(await programs(), 'initdb'), ...made, '--no-sync']));
    await server.up();
    return server;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** Address of a database, by default the one that is always there; without a password where `user` is given. */
  address(database = 'postgres', user = `weft:${this.password}`): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts the server; resolves when it answers. */
  async up(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: this.#folder,
      shared_buffers: '32MB',
      max_connections: '60',
      ...this.#settings,
    };
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [program, args] = withLessRights([join(await programs(), 'postgres'), '-D', this.#data, ...given]);
    this.#child = spawn(program, args, { stdio: 'ignore' });
    // After a crash it reads and syncs all that it has first, which takes its time.
    for (;;) {
      try {
        await this.ask('SELECT 1');
        return;
      } catch (error) {
        if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw error;
        await sleep(50);
      }
    }
  }

  /**
   * Copy of all that it has, made by pg_basebackup while it serves; `up` starts it. It follows this one under the name that is given,
   * or, with `until`, is what archived WAL makes of it up to that restore point.
   */
  async copied(
    how: { readonly follows: string } | { readonly until: string; readonly archive: string },
  ): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'weft-postgres-'));
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    const name = 'follows' in how ? ` application_name=${how.follows}` : '';
    const recovery: PostgresSettings =
      'follows' in how
        ? {}
        : {
            archive_mode: 'off',
            restore_command: `cp ${how.archive}/%f %p`,
            recovery_target_name: how.until,
            recovery_target_action: 'promote',
          };
    const copy = new PostgresServer(folder, await freePort(), { ...this.#settings, ...recovery }, this.password);
    const from = `host=127.0.0.1 port=${this.port} user=weft password=${this.password}${name}`;
    const words = ['-D', copy.#data, '-d', from, '--checkpoint=fast', '--no-sync'];
    const [program, args] = withLessRights([
      join(await programs(), 'pg_basebackup'),
      ...words,
      ...('follows' in how ? ['-R'] : []),
    ]);
    await run(program, args);
    if ('until' in how) await writeFile(join(copy.#data, 'recovery.signal'), '');
    return copy;
  }

  /** Ends it at once, without a word to anybody, as a failing machine does; its children see it and end too. */
  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** All of its processes stand still for so long, and go on. */
  async freeze(ms: number): Promise<void> {
    const { pid } = this.#child!;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const all = [pid!, ...children.split(' ').filter(Boolean).map(Number)];
    const signal = (name: NodeJS.Signals): void => {
      for (const each of all)
        try {
          process.kill(each, name);
        } catch {
          // it has ended meanwhile
        }
    };
    signal('SIGSTOP');
    await sleep(ms);
    signal('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Asks something as the owner of everything. */
  async ask<Row extends object>(text: string, database?: string): Promise<Row[]> {
    const client = new pg.Client(this.address(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Makes an empty database and answers its name. */
  async database(): Promise<string> {
    const name = `rooms_${++this.#made}`;
    await this.ask(`CREATE DATABASE ${name}`);
    return name;
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Command line of a program that must not run as root. */
export function withLessRights(words: readonly string[]): [string, string[]] {
  const [program, ...args] = isRoot ? [...LESS, ...words] : words;
  return [program!, args];
}

/** Folder of the server's programs, which Debian keeps out of the path. */
async function programs(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(root, newest, 'bin');
}

/** Port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
