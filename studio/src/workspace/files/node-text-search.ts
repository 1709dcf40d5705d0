/** Text search by ripgrep: the one in the package, else the machine's; else patterns by git, and texts by the plain search. */
import { lstat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Rejection } from '@weft/core';
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import type { NodeProcesses } from '../programs/node-processes.js';
import { readGit } from '../git/calls/run-git.js';
import { atEntry } from './no-links.js';
import { type FoundAt, type TextSearch, isBelow, plainSearch } from './text-search.js';

const TIMEOUT_MS = 20_000;
const MOST_SAID = 2_000;

const Match = z.object({
  type: z.literal('match'),
  data: z.object({ path: z.object({ text: z.string() }), line_number: z.number() }),
});

/** Fixed arguments: no settings of this user, no ignore files but git's. */
const FIXED = [
  ...['--no-config', '--json', '--hidden', '--no-follow', '--no-messages', '--sort', 'path', '--max-filesize', '10M'],
  ...['--no-require-git', '--no-ignore-dot', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-parent'],
  ...['--glob', '!.git'],
];

export async function nodeTextSearch(processes: NodeProcesses): Promise<TextSearch> {
  const packaged = await import('@vscode/ripgrep').then(({ rgPath }) => rgPath).catch(() => undefined);
  return {
    async find(folder, files, query) {
      // The program follows a link that it is named, and waits for a pipe.
      if (!(await isSearchable(folder, query.scope))) return { found: [], truncated: false };
      for (const program of [packaged, 'rg']) {
        if (program === undefined) continue;
        try {
          return await findBy(program, processes, folder, query);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
      return query.isRegex ? findByGit(folder, files, query) : plainSearch.find(folder, files, query);
    },
  };
}

async function findBy(
  program: string,
  processes: NodeProcesses,
  folder: string,
  { text, isRegex, caseSensitive, scope, matches, most }: Parameters<TextSearch['find']>[2],
): Promise<{ found: FoundAt[]; truncated: boolean }> {
  const found: FoundAt[] = [];
  let truncated = false;
  let said = '';
  let read = Promise.resolve();
  let stop = (): void => undefined;
  const args = [
    ...FIXED,
    ...(isRegex ? [] : ['--fixed-strings']),
    caseSensitive ? '--case-sensitive' : '--ignore-case',
  ];
  const group = await processes.start({
    folder,
    program,
    isOwn: true,
    network: 'off',
    args: [...args, '--regexp', text, '--', scope === '' ? '.' : `./${scope}`],
    hear: ({ stdin, stdout, stderr }) => {
      stdin.end();
      stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString('utf8')).slice(0, MOST_SAID)));
      read = (async () => {
        for await (const line of createInterface({ input: stdout })) {
          // The rest of the output is drained.
          if (truncated) continue;
          const { data } = Match.safeParse(JSON.parse(line)).data ?? {};
          const path = data?.path.text.replace(/^\.\//, '');
          if (data === undefined || path === undefined || !isBelow(path, scope) || !matches(path)) continue;
          if (found.length < most) found.push({ path, line: data.line_number });
          else {
            truncated = true;
            stop();
          }
        }
      })();
    },
  });
  stop = () => void group.stop();
  if (truncated) stop();
  const timer = setTimeout(stop, TIMEOUT_MS);
  const [{ code }] = await Promise.all([group.gone, read]);
  clearTimeout(timer);
  // Exit code 1 means nothing found. Unreadable files are skipped.
  if (code === 2 && found.length === 0 && said !== '')
    throw refusal('reject.invalid_input', `query: ${said.trim()}`, [{ field: 'query', message: said.trim() }]);
  if (code === null && !truncated)
    throw refusal('reject.search_too_long', `the search did not end within ${TIMEOUT_MS / 1000} s`);
  return { found, truncated };
}

/** Paths in one command line: a system bounds all of them together. */
const MOST_NAMED = 500;

/** Search for a pattern by git, which every host has: extended regular expressions, a little less than what ripgrep reads. */
export async function findByGit(
  folder: string,
  files: readonly string[],
  { text, caseSensitive, scope, matches, most }: Parameters<TextSearch['find']>[2],
): Promise<{ found: FoundAt[]; truncated: boolean }> {
  const wanted = files.filter((path) => isBelow(path, scope) && matches(path));
  // Without a repository: one that somebody has made in the folder would be asked for its settings.
  const args = [
    '--git-dir=/dev/null',
    'grep',
    '--no-index',
    '--no-exclude-standard',
    '-z',
    '-n',
    '-I',
    '-E',
    '--no-color',
    '--no-textconv',
  ];
  const found: FoundAt[] = [];
  for (let at = 0; at < wanted.length && found.length <= most; at += MOST_NAMED) {
    const named = wanted.slice(at, at + MOST_NAMED);
    const { code, said, bytes } = await readGit({
      folder,
      args: [...args, ...(caseSensitive ? [] : ['-i']), '-e', text, '--', ...named],
      most: MOST_READ_BYTES,
      isCut: true,
      timeoutMs: TIMEOUT_MS,
      settings: { alone: true },
    });
    if (code > 1) throw refusal('reject.invalid_input', `query: ${said}`, [{ field: 'query', message: said }]);
    for (const line of bytes.toString('utf8').split('\n')) {
      const [path = '', number = ''] = line.split('\0');
      if (/^\d+$/.test(number)) found.push({ path, line: Number(number) });
    }
  }
  return { found: found.slice(0, most), truncated: found.length > most };
}

const MOST_READ_BYTES = 16 << 20;

async function isSearchable(folder: string, scope: string): Promise<boolean> {
  if (scope === '') return true;
  const found = await atEntry(folder, scope, (absolute) => lstat(absolute).catch(() => undefined));
  return found?.isFile() === true || found?.isDirectory() === true;
}

function isMissing(error: unknown): boolean {
  return error instanceof Rejection && error.reason === 'reject.program_not_started';
}
