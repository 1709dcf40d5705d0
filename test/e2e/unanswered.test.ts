/**
 * What an operator sees who asks a server that stands still, or that goes while it is asked. The server is a process that is
 * stopped; who asks runs here, by a clock that the test turns. `unanswered.long.test.ts` has the same with the time that it takes.
 */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ManualClock } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { type RunSurroundings, WeftRun } from '../support/programs/weft-run.js';

/** A command and the clock by which it waits. */
class Patient extends WeftRun {
  readonly #clock: ManualClock;

  constructor(args: readonly string[], surroundings: RunSurroundings = {}) {
    const clock = new ManualClock();
    super(args, { ...surroundings, clock });
    this.#clock = clock;
  }

  /** Turns the clock second by second while this waits, until it is so; answers how many it took. */
  async waitUntil(isSo: () => boolean): Promise<number> {
    for (let seconds = 0; ;) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (isSo()) return seconds;
      if (this.#clock.timers === 0) continue;
      this.#clock.advance(1000);
      seconds++;
    }
  }

  /** Until it has told that it waits. */
  waitUntilTold(): Promise<number> {
    return this.waitUntil(() => this.err.some((line) => line.includes('does not answer')));
  }

  waitUntilEnded(): Promise<number> {
    return this.waitUntil(() => this.hasEnded);
  }
}

interface Stopped {
  readonly serving: WeftProcess;
  readonly folder: string;
  /** Command that was running before the server was stopped. */
  readonly watching: Patient;
}

async function stoppedServer(): Promise<Stopped> {
  const folder = join(await tempFolder(), 'data');
  const serving = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
  await serving.line(/^ws:/);
  const watching = new Patient(['room', 'watch', 'plans', '--store', folder]);
  await watching.line(/^0 nodes/);
  serving.signal('SIGSTOP');
  return { serving, folder, watching };
}

async function stoppedStudio() {
  const store = join(await tempFolder(), 'data');
  const studio = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store]);
  const [at = ''] = await studio.line(/^http:\S+$/);
  studio.signal('SIGSTOP');
  return { studio, place: ['--at', at, '--store', store] };
}

describe('a process that stands still', () => {
  it('a server that was stopped is named, waited for, and then given up, whatever it is asked', async () => {
    const { serving, folder, watching } = await stoppedServer();
    const asked = [
      ...['list', 'inspect plans', 'compact plans', 'quarantine plans', 'resume plans'].map((words) => `room ${words}`),
      ...['export plans a', 'import plans a', 'validate a', 'describe a'].map((words) => `archive ${words}`),
      ...[`backup ${folder}-copy`, 'gc', 'doctor', 'replay plans'],
    ].map((words) => new Patient([...words.split(' '), '--store', folder]));
    for (const command of [watching, ...asked]) {
      // One second before it asks whether anybody is there.
      expect(await command.waitUntilTold()).toBe(1 + 3);
      expect(await command.waitUntilEnded()).toBe(12);
      expect(await command.ended).toBe(3);
      const [waiting, over, ...more] = command.err;
      expect(more).toEqual([]);
      expect(waiting).toMatch(
        /^weft: the server that has \S+data open .* does not answer, waiting 12 s more: kill -CONT /,
      );
      expect(over).toMatch(/^weft: the server that has \S+data open .* has not answered for 15 s: kill -CONT /);
      if (process.platform === 'linux') expect(waiting).toContain(`kill -CONT ${serving.pid} `);
    }
  });

  it('a server that goes on answers who has waited, and who does not wait ends at once', async () => {
    const { serving, folder, watching } = await stoppedServer();
    const listing = new Patient(['room', 'list', '--store', folder]);
    const stopped = new Patient(['doctor', '--store', folder]);
    for (const command of [listing, stopped, watching]) await command.waitUntilTold();
    expect(await stopped.stop()).toBe(130);
    expect(stopped.err.at(-1)).toBe('weft: stopped before it had ended');
    const seen = watching.out.length;
    serving.signal('SIGCONT');
    expect(await listing.ended).toBe(0);
    expect(listing.out).toEqual(['room  nodes  bytes  shut']);
    await expect.poll(() => watching.out.length, { timeout: 30_000 }).toBeGreaterThan(seen);
    expect(await watching.stop()).toBe(0);
  });

  it('a server that is killed while it is asked is told as gone', async () => {
    const { serving, folder, watching } = await stoppedServer();
    const listing = new Patient(['room', 'list', '--store', folder]);
    await listing.waitUntilTold();
    await serving.kill('SIGKILL');
    for (const command of [listing, watching]) {
      expect(await command.ended).toBe(1);
      expect(command.err.at(-1)).toBe('weft: the server has gone before it had answered; ask again');
    }
    expect(await new Patient(['room', 'list', '--store', folder]).ended).toBe(0);
  });

  it('a studio that was stopped is given up too', async () => {
    const { place } = await stoppedStudio();
    const listing = new Patient(['studio', 'repository', 'list', ...place]);
    expect(await listing.waitUntilEnded()).toBe(1 + 15);
    expect(await listing.ended).toBe(3);
    expect(listing.err[0]).toMatch(/^weft: the studio at http:\S+ does not answer, waiting 12 s more: kill -CONT /);
    expect(listing.err[1]).toMatch(/^weft: the studio at http:\S+ has not answered for 15 s: /);
  });

  it('who speaks to a stopped studio over stdin hears so, and gets an error for each request', async () => {
    const { studio, place } = await stoppedStudio();
    const input = new PassThrough();
    const mcp = new Patient(['mcp', ...place], { input });
    const ask = (id: number): boolean => input.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
    for (const id of [1, 2]) ask(id);
    await mcp.waitUntil(() => mcp.out.length === 2);
    for (const [at, line] of mcp.out.sort().entries()) {
      const { id, error } = JSON.parse(line) as { id: number; error: { code: number; message: string } };
      expect([id, error.code]).toEqual([at + 1, -32_603]);
      expect(error.message).toMatch(/^the studio at http:\S+ has not answered for 15 s: kill -CONT /);
    }
    expect(mcp.err).toEqual([
      expect.stringMatching(/^weft: the studio at http:\S+ does not answer, waiting 12 s more: /),
    ]);
    studio.signal('SIGCONT');
    ask(3);
    input.end();
    const [answer] = await mcp.line(/^.*"id":3\b.*$/);
    expect(JSON.parse(answer)).toMatchObject({ id: 3 });
    expect(await mcp.ended).toBe(0);
  });
});
