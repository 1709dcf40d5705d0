/** nats-server of this machine as a real server of a test's own, on a port of loopback, ended by its process id. */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './postgres.js';

export class NatsServer {
  readonly port: number;
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<NatsServer> {
    const server = new NatsServer(await freePort());
    await server.up();
    return server;
  }

  get address(): string {
    return `nats://weft@127.0.0.1:${this.port}`;
  }

  readonly password = 'the-password-of-nats';

  /** Starts it; resolves when it takes connections. */
  async up(): Promise<void> {
    const args = ['-a', '127.0.0.1', '-p', String(this.port), '--user', 'weft', '--pass', this.password];
    const child = spawn('nats-server', args, { stdio: 'ignore' });
    this.#child = child;
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    while (!(await this.#answers())) {
      if (failure || child.exitCode !== null) throw failure ?? new Error('nats-server has ended');
      await sleep(20);
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** It stands still for so long, and goes on. */
  async freeze(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await sleep(ms);
    this.#child?.kill('SIGCONT');
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('data', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      socket.once('data', () => socket.destroy());
    });
  }
}
