/** PgBouncer of this machine in transaction mode, before a server of a test: each transaction may go to another connection. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, freePort, withLessRights } from './postgres.js';

export class Pooler {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #server: PostgresServer;

  private constructor(folder: string, child: ChildProcess, port: number, server: PostgresServer) {
    this.#folder = folder;
    this.#child = child;
    this.#port = port;
    this.#server = server;
  }

  static async before(server: PostgresServer): Promise<Pooler> {
    const folder = await mkdtemp(join(tmpdir(), 'weft-pooler-'));
    await chmod(folder, 0o755);
    const port = await freePort();
    const users = join(folder, 'users');
    await writeFile(users, `"weft" "${server.password}"\n`, { mode: 0o644 });
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      pool_mode: 'transaction',
      default_pool_size: 4,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`);
    const [program, args] = withLessRights(['/usr/sbin/pgbouncer', file]);
    const child = spawn(program, args, { stdio: 'ignore' });
    const pooler = new Pooler(folder, child, port, server);
    await pooler.#answers();
    return pooler;
  }

  address(database: string): string {
    return this.#server.address(database).replace(`:${this.#server.port}/`, `:${this.#port}/`);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`PgBouncer has ended with ${this.#child.exitCode}`);
      const isThere = await new Promise<boolean>((resolve) => {
        const socket = connect(this.#port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
        socket.on('connect', () => socket.destroy());
      });
      if (isThere) return;
      await sleep(50);
    }
  }
}
