/** Programs that want the whole machine, on this one: each is ended, says why, and leaves nothing running. */
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { type ConfinementOptions, findConfinement } from './node-confinement.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { nodeRunner } from '../programs/node-runner.js';
import { markedWith } from '../programs/process-identity.js';
import { WHOLE_LIMITS, type WholeLimits } from './whole-limits.js';

const BOMB = 'f() { sleep 60 & n=$((n+1)); [ $n -gt 400 ] || f; }; n=0; f; wait';

async function begun(limits: Partial<WholeLimits>, options: ConfinementOptions = {}) {
  const base = await tempFolder();
  const [folder, own] = [join(base, 'work'), join(base, 'studio')];
  await mkdir(folder);
  const whole = { ...WHOLE_LIMITS, everyMs: 50, ...limits };
  const processes = new NodeProcesses(own, { graceMs: 200, confinement: await findConfinement(own, options), whole });
  await processes.recover();
  onTestFinished(() => processes.close());
  const environment = { WHOSE: folder };
  const wanted = { folder, timeoutMs: 60_000, mostBytes: 16_384, environment };
  const ended = async (command: string) => (await nodeRunner(processes).run({ ...wanted, command })).ended;
  return { folder, ended };
}

it('a fork bomb', async () => {
  const { folder, ended } = await begun({ processes: 60 });
  const { exitCode, stdErr } = await ended(BOMB);
  expect(exitCode).toBe(137);
  expect(stdErr).toContain('weft: the program was ended: it had more than 60 processes\n');
  expect(await markedWith('WHOSE', folder)).toEqual([]);
});

it('a fork bomb that a person has let run unconfined; it yields to what else runs', async () => {
  const { folder, ended } = await begun({ processes: 60 }, { unconfined: true });
  const { exitCode, stdOut, stdErr } = await ended(`nice; ${BOMB}`);
  expect([exitCode, stdOut]).toEqual([137, '10\n']);
  expect(stdErr).toContain('weft: the program was ended: it had more than 60 processes\n');
  expect(await markedWith('WHOSE', folder)).toEqual([]);
});

it('many processes that are each within their limit, and too much together', async () => {
  const { folder, ended } = await begun({ memory: 200 * 2 ** 20 });
  const hog = `node -e "const b = Buffer.alloc(60 << 20, 1); setTimeout(() => b, 60000)"`;
  const { exitCode, stdErr } = await ended(`${`${hog} & `.repeat(5)} wait`);
  expect(exitCode).toBe(137);
  expect(stdErr).toContain('its processes held more than 200 MiB of memory together');
  expect(await markedWith('WHOSE', folder)).toEqual([]);
});

it('what fills the disk with many files', async () => {
  const { bavail, bsize } = await statfs(await tempFolder());
  const { folder, ended } = await begun({ leastFree: bavail * bsize - 100 * 2 ** 20 });
  const fill = 'for i in 1 2 3 4 5 6 7 8; do head -c 40000000 /dev/urandom > f$i; done; sleep 60';
  const { exitCode, stdErr } = await ended(fill);
  expect(exitCode).toBe(137);
  expect(stdErr).toMatch(/it left less than [\d.]+ GiB of the disk/);
  expect(await markedWith('WHOSE', folder)).toEqual([]);
});

it('what stays below its limits runs to its end', async () => {
  const { ended } = await begun({});
  const { exitCode, stdErr } = await ended('for i in 1 2 3 4 5; do sleep 0.3 & done; wait; echo done');
  expect([exitCode, stdErr]).toEqual([0, '']);
});
