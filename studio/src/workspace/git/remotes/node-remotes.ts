/** Remotes over the `git` program. */
import { setTimeout as later } from 'node:timers/promises';
import { refusal } from '../../../reasons.js';
import { absoluteAddress, shownAddress } from './addresses.js';
import { MOST_ATTRIBUTE_FILES, notHere } from '../objects/not-here.js';
import type { ObjectStore } from '../objects/object-store.js';
import { isPassing, remoteFault } from './remote-faults.js';
import type { CloneWish, Push, Remote, Remotes, Way } from './remotes.js';
import { type GitExit, askGit, failed, readGit } from '../calls/run-git.js';

const TRANSFER_TIMEOUT_MS = 3_600_000;
const MOST_REMOTES = 100;
/** Waits before the next try of what may be otherwise a moment later. */
const WAITS_MS = [1_000, 5_000];
/** Line of progress, such as `Receiving objects:  42% (21/50)`. */
const PROGRESS = /^(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*):\s+(?:(\d+)%|\d+)/;
const NEUTRAL_FETCH = [
  ...['fetch', '--progress', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
  ...['--no-auto-maintenance', '--update-shallow'],
];

interface Running {
  readonly folder: string;
  readonly args: readonly string[];
  readonly what: string;
  readonly url: string;
}

export class NodeRemotes implements Remotes {
  readonly #waits: readonly number[];
  readonly #stopping = new AbortController();

  constructor(waits: readonly number[] = WAITS_MS) {
    this.#waits = waits;
  }

  async of(folder: string): Promise<Remote[]> {
    const { code, answer } = await askGit(folder, ['config', '-z', '--get-regexp', '^remote\\..*\\.(url|pushurl)$']);
    if (code !== 0) return [];
    const found = new Map<string, { url?: string; pushUrl?: string }>();
    for (const entry of answer.split('\0')) {
      const [key = '', address = ''] = [entry.slice(0, entry.indexOf('\n')), entry.slice(entry.indexOf('\n') + 1)];
      const [, name, kind] = /^remote\.(.*)\.(url|pushurl)$/s.exec(key) ?? [];
      if (name === undefined || address === '') continue;
      const remote = found.get(name) ?? {};
      // The first of several addresses is the one that git fetches from.
      if (kind === 'url') remote.url ??= absoluteAddress(address, folder);
      else remote.pushUrl ??= absoluteAddress(address, folder);
      found.set(name, remote);
    }
    return [...found]
      .flatMap(([name, { url, pushUrl = url }]) =>
        url === undefined || pushUrl === undefined ? [] : { name, url, pushUrl },
      )
      .slice(0, MOST_REMOTES);
  }

  async clone(folder: string, { depth, branch, settings = [], ...way }: CloneWish): Promise<void> {
    const wanted = [
      ...settings,
      ...(depth === undefined ? [] : [`--depth=${depth}`]),
      ...(branch === undefined ? [] : ['--single-branch', `--branch=${branch}`]),
    ];
    // A path is copied whole, whatever depth is asked for; an address is not.
    const url = depth !== undefined && way.url.startsWith('/') ? `file://${way.url}` : way.url;
    const neutral = ['clone', '--progress', '--no-hardlinks', '--template=', '--no-recurse-submodules'];
    const args = [...neutral, ...wanted, '--end-of-options', url, '.'];
    await this.#passing({ folder, args, what: 'clone of', url }, { ...way, url });
  }

  async fetch(store: ObjectStore, way: Way, prefix: string): Promise<void> {
    const args = [...NEUTRAL_FETCH, '--prune', '--end-of-options', way.url, `+refs/heads/*:${prefix}*`];
    await this.#passing({ folder: store.folder, args, what: 'fetch from', url: way.url }, way);
  }

  async show(folder: string, store: ObjectStore, prefix: string, name: string, branch?: string): Promise<void> {
    // Branches are pruned only when all were asked for: one alone says nothing about the others.
    const pruning = branch === undefined ? ['--prune'] : [];
    const refs = `+${prefix}${branch ?? '*'}:refs/remotes/${name}/${branch ?? '*'}`;
    const args = [...NEUTRAL_FETCH, ...pruning, '--end-of-options', store.folder, refs];
    const { code, said } = await readGit({
      folder,
      args,
      timeoutMs: TRANSFER_TIMEOUT_MS,
      settings: { protocols: ['file'] },
      signal: this.#stopping.signal,
    });
    if (code !== 0) throw failed('fetch', folder, { code, said });
  }

  async push(store: ObjectStore, { commit, branch, expected, ...way }: Push): Promise<boolean> {
    const ref = `refs/heads/${branch}`;
    const lease = expected === undefined ? [] : [`--force-with-lease=${ref}:${expected === 'none' ? '' : expected}`];
    const neutral = ['push', '--progress', '--porcelain', '--no-verify', '--recurse-submodules=no'];
    const args = [...neutral, ...lease, '--end-of-options', way.url, `${commit}:${ref}`];
    const answer = await this.#passing({ folder: store.folder, args, what: 'push to', url: way.url }, way);
    return !answer.split('\n').some((line) => line.startsWith('=\t'));
  }

  async leftOut(folder: string): Promise<string[]> {
    const head = await askGit(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head.code !== 0) return [];
    const { bytes, ...exit } = await readGit({
      folder,
      args: ['ls-tree', '-r', '-z', '--full-tree', head.answer.trim()],
      most: 256 << 20,
    });
    if (exit.code !== 0) throw failed('ls-tree', folder, exit);
    const entries = bytes.toString('utf8').split('\0');
    const submodules = entries.flatMap((entry) => (entry.startsWith('160000 ') ? [pathIn(entry)] : []));
    const attributes = entries.filter((entry) => /(^|\/)\.gitattributes$/.test(pathIn(entry)));
    return notHere(submodules, await textsOf(folder, attributes));
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Runs git; what may be otherwise a moment later is tried again. Answers what it printed. */
  async #passing({ folder, args, what, url }: Running, way: Way): Promise<string> {
    const { signal } = this.#stopping;
    for (let attempt = 0; ; attempt++) {
      const { bytes, ...exit } = await readGit({
        folder,
        args,
        timeoutMs: TRANSFER_TIMEOUT_MS,
        settings: { protocols: way.protocols, asUser: { secret: way.secret } },
        onSaid: tellProgress(way),
        signal,
      });
      const printed = bytes.toString('utf8');
      if (exit.code === 0) return printed;
      const said = saidOf(exit, printed);
      const wait = this.#waits[attempt];
      if (wait === undefined || !isPassing(said)) throw remoteFault(said, shownAddress(url), what);
      way.onProgress?.('Waiting to try again', undefined);
      await later(wait, undefined, { signal }).catch(() => {
        throw refusal('reject.stopping', 'the studio is stopping');
      });
    }
  }
}

/** A push says on stdout which branch was refused, and why. */
function saidOf({ said }: GitExit, printed: string): string {
  const rejected = printed.split('\n').filter((line) => line.startsWith('!\t'));
  return [...rejected, said].join('\n');
}

function tellProgress({ onProgress }: Way): (text: string) => void {
  if (onProgress === undefined) return () => undefined;
  return (text) => {
    for (const line of text.split(/[\r\n]/)) {
      const [, phase, percent] = PROGRESS.exec(line) ?? [];
      if (phase !== undefined) onProgress(phase, percent === undefined ? undefined : Number(percent));
    }
  };
}

async function textsOf(folder: string, entries: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const entry of entries.slice(0, MOST_ATTRIBUTE_FILES))
    texts.push((await askGit(folder, ['cat-file', 'blob', entry.split(/[ \t]/)[2] ?? ''])).answer);
  return texts;
}

function pathIn(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1);
}
