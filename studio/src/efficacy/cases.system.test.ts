/** The cases themselves: hidden tests fail before the answer and pass with it. Needs the languages of the suite. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Case } from './case.js';
import { CASES } from './cases.js';
import { missingOf } from './toolchains.js';
import { writeCase } from './write-case.js';

const run = promisify(execFile);

async function passes(one: Case, files: Case['files']): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-case-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeCase(folder, { ...one, files: { ...files, ...one.hidden.files } });
  return run('/bin/sh', ['-c', one.hidden.command], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

/** Files with the answer of a case. */
function answered({ files, fix }: Case): Case['files'] {
  const now = new Map(Object.entries(files));
  for (const one of fix) {
    const text = 'find' in one ? one.old : one.beside;
    // It may have been changed by the step before.
    const sought = [text, ...fix.flatMap((other) => ('find' in other && other.old === text ? other.now : []))];
    const [path, content] = [...now].find(([, file]) => sought.some((part) => file.includes(part)))!;
    if ('find' in one)
      now.set(
        path,
        content.replace(one.old, () => one.now),
      );
    else now.set(join(dirname(path), one.name), one.text);
  }
  return Object.fromEntries(now);
}

it.each(CASES.map((one) => [one.name, one] as const))(
  '%s is told right from wrong by its hidden tests',
  async (_, one) => {
    expect(await missingOf(one.needs)).toBeUndefined();
    expect([await passes(one, one.files), await passes(one, answered(one))]).toEqual([false, true]);
  },
);
