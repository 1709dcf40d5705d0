import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, check, isDatabase } from '@weft/server';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { folderOf } from '../../serving/stores.js';
import { WARN_MS, authorityEnds, authorityOf } from '../../serving/authority.js';
import { operate } from '../../serving/operator.js';

const LEAST_FREE_BYTES = 1024 ** 3;

export const doctor = cliCommand({
  flags: { ...folderFlags, blobs: { summary: 'Read and hash every blob too.' } },
}).run(async (flags, terminal) => {
  const config = configOf(flags, terminal);
  // What is stored is read whatever roots have said: that is looked at by itself.
  const stored = { ...config, authority: undefined, 'signer-key': undefined };
  const found = await operate(stored, check, { blobs: flags.blobs }, terminal, { isReader: true });
  const looked = await looksOf(config.store);
  const problems = [...found.problems, ...looked.problems, ...(await authorityFaults(config))];
  if (flags.json) terminal.out(JSON.stringify({ ...found, problems, facts: looked.facts }));
  else {
    for (const fact of looked.facts) terminal.out(fact);
    terminal.out(`${found.rooms} rooms read${flags.blobs ? `, ${found.blobs} blobs hashed` : ''}`);
    for (const problem of problems) terminal.out(`${terminal.paint('red', 'problem')}: ${problem}`);
    if (problems.length === 0) terminal.out(terminal.paint('green', 'nothing is wrong'));
  }
  if (problems.length > 0) throw new Error(`${problems.length} problems found`);
});

/** What a start would be refused for, or soon, by what roots have said. */
async function authorityFaults(config: Config): Promise<string[]> {
  try {
    await authorityOf(config);
    const endsAt = await authorityEnds(config);
    if (endsAt === undefined || endsAt - Date.now() > WARN_MS) return [];
    const ends = new Date(endsAt).toISOString();
    return [
      `the certificate of this server ends at ${ends}; weft authority certify --days, where the root is, makes a new one`,
    ];
  } catch (error) {
    if (error instanceof UsageError) return [error.message];
    throw error;
  }
}

interface Looks {
  readonly facts: readonly string[];
  readonly problems: readonly string[];
}

/** Findings about a store from outside: of a database how it is set and who serves it, of a folder who may read it and its space. */
async function looksOf(place: string): Promise<Looks> {
  if (isDatabase(place)) {
    // Loaded here: nobody else needs its client.
    const { lookAtDatabase } = await import('@weft/core/postgres');
    return lookAtDatabase(place);
  }
  const folder = folderOf(place);
  return { facts: [], problems: folder === undefined ? [] : await problemsOf(folder) };
}

async function problemsOf(folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const own = entry.isFile() ? '600' : entry.name === 'log' ? '700' : undefined;
    if (own === undefined || process.platform === 'win32') continue;
    const path = join(folder, entry.name);
    if (((await stat(path)).mode & 0o077) !== 0) problems.push(`${path} can be read by others; chmod ${own} ${path}`);
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < LEAST_FREE_BYTES) problems.push(`only ${Math.floor(free / 1024 ** 2)} MiB are free where ${folder} is`);
  return problems;
}
