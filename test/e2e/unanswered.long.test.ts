/** What an operator sees who asks a server that stands still, or that goes while it is asked. All of them wait at the same time. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type onTestFinished, describe, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';

interface Stopped {
  readonly serving: WeftProcess;
  readonly folder: string;
  /** What was running before it was stopped. */
  readonly watching: WeftProcess;
}

type WhenFinished = typeof onTestFinished;

async function stoppedServer(whenFinished: WhenFinished): Promise<Stopped> {
  const folder = join(await tempFolder(whenFinished), 'data');
  const serving = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder], { whenFinished });
  await serving.line(/^ws:/);
  const watching = new WeftProcess(['room', 'watch', 'plans', '--store', folder], { whenFinished });
  await watching.line(/^0 nodes/);
  serving.signal('SIGSTOP');
  return { serving, folder, watching };
}

async function stoppedStudio(whenFinished: WhenFinished) {
  const store = join(await tempFolder(whenFinished), 'data');
  const studio = new WeftProcess(['studio', '--listen', '127.0.0.1:0', '--store', store], { whenFinished });
  const [at = ''] = await studio.line(/^http:\S+$/);
  studio.signal('SIGSTOP');
  return { studio, place: ['--at', at, '--store', store] };
}

describe.concurrent('a process that stands still', { timeout: 120_000 }, () => {
  it('a server that was stopped is named, waited for, and then given up, whatever it is asked', async ({
    expect,
    onTestFinished: whenFinished,
  }) => {
    const { serving, folder, watching } = await stoppedServer(whenFinished);
    const asked = [
      ...['list', 'inspect plans', 'compact plans', 'quarantine plans', 'resume plans'].map((words) => `room ${words}`),
      ...['export plans a', 'import plans a', 'validate a', 'describe a'].map((words) => `archive ${words}`),
      ...[`backup ${folder}-copy`, 'gc', 'doctor', 'replay plans'],
    ].map((words) => new WeftProcess([...words.split(' '), '--store', folder], { whenFinished }));
    for (const command of [watching, ...asked]) {
      expect(await command.exited).toEqual({ code: 3, signal: null });
      const [waiting, over, ...more] = command.err;
      expect(more).toEqual([]);
      expect(waiting).toMatch(
        /^weft: the server that has \S+data open .* does not answer, waiting 12 s more: kill -CONT /,
      );
      expect(over).toMatch(/^weft: the server that has \S+data open .* has not answered for 15 s: kill -CONT /);
      if (process.platform === 'linux') expect(waiting).toContain(`kill -CONT ${serving.pid} `);
    }
  });

  it('a server that goes on answers who has waited, and who does not wait ends at once', async ({
    expect,
    onTestFinished: whenFinished,
  }) => {
    const { serving, folder, watching } = await stoppedServer(whenFinished);
    const listing = new WeftProcess(['room', 'list', '--store', folder], { whenFinished });
    const stopped = new WeftProcess(['doctor', '--store', folder], { whenFinished });
    for (const command of [listing, stopped, watching]) await command.line(/does not answer/, command.err);
    expect(await stopped.kill('SIGINT')).toEqual({ code: 130, signal: null });
    expect(stopped.err.at(-1)).toBe('weft: stopped before it had ended');
    const seen = watching.out.length;
    serving.signal('SIGCONT');
    expect(await listing.exited).toEqual({ code: 0, signal: null });
    expect(listing.out).toEqual(['room  nodes  bytes  shut']);
    await expect.poll(() => watching.out.length, { timeout: 30_000 }).toBeGreaterThan(seen);
    expect(await watching.kill('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('a server that is killed while it is asked is told as gone', async ({ expect, onTestFinished: whenFinished }) => {
    const { serving, folder, watching } = await stoppedServer(whenFinished);
    const listing = new WeftProcess(['room', 'list', '--store', folder], { whenFinished });
    await listing.line(/does not answer/, listing.err);
    await serving.kill('SIGKILL');
    for (const command of [listing, watching]) {
      expect(await command.exited).toEqual({ code: 1, signal: null });
      expect(command.err.at(-1)).toBe('weft: the server has gone before it had answered; ask again');
    }
    const again = new WeftProcess(['room', 'list', '--store', folder], { whenFinished });
    expect(await again.exited).toEqual({ code: 0, signal: null });
  });

  it('a studio that was stopped is given up too', async ({ expect, onTestFinished: whenFinished }) => {
    const { place } = await stoppedStudio(whenFinished);
    const listing = new WeftProcess(['studio', 'repository', 'list', ...place], { whenFinished });
    expect(await listing.exited).toEqual({ code: 3, signal: null });
    expect(listing.err[0]).toMatch(/^weft: the studio at http:\S+ does not answer, waiting 12 s more: kill -CONT /);
    expect(listing.err[1]).toMatch(/^weft: the studio at http:\S+ has not answered for 15 s: /);
  });

  it('who speaks to a stopped studio over stdin hears so, and gets an error for each request', async ({
    expect,
    onTestFinished: whenFinished,
  }) => {
    const { studio, place } = await stoppedStudio(whenFinished);
    const mcp = spawn(process.execPath, [BIN, 'mcp', ...place]);
    whenFinished(() => void mcp.kill('SIGKILL'));
    const [out, err]: [string[], string[]] = [[], []];
    createInterface({ input: mcp.stdout }).on('line', (line) => out.push(line));
    createInterface({ input: mcp.stderr }).on('line', (line) => err.push(line));
    const ask = (id: number): boolean => mcp.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
    for (const id of [1, 2]) ask(id);
    const within = { timeout: 90_000, interval: 100 };
    await expect.poll(() => out.length, within).toBe(2);
    for (const [at, line] of out.sort().entries()) {
      const { id, error } = JSON.parse(line) as { id: number; error: { code: number; message: string } };
      expect([id, error.code]).toEqual([at + 1, -32_603]);
      expect(error.message).toMatch(/^the studio at http:\S+ has not answered for 15 s: kill -CONT /);
    }
    expect(err).toEqual([expect.stringMatching(/^weft: the studio at http:\S+ does not answer, waiting 12 s more: /)]);
    studio.signal('SIGCONT');
    ask(3);
    await expect.poll(() => out.length, within).toBe(3);
    expect(JSON.parse(out[2] ?? '')).toMatchObject({ id: 3 });
  });
});
