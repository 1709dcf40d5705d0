/** A studio that is killed while a merge lands, at a git of the test's choice, and started again. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';

const run = promisify(execFile);

export type When = 'before' | 'after';

interface Running {
  readonly process: WeftProcess;
  post(path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }>;
}

export class KilledLandings {
  readonly #base: string;
  readonly #project: string;
  #running: Running | undefined;
  #landings = 0;

  private constructor(base: string) {
    this.#base = base;
    this.#project = join(base, 'project');
  }

  static async begin(): Promise<KilledLandings> {
    const landings = new KilledLandings(await tempFolder());
    await landings.#prepare();
    return landings;
  }

  /** Lands one change, with the host killed at the nth git. Answers whether that git was ever reached. */
  async land(nth: number, when: When, target: string): Promise<boolean> {
    const { process, post } = await this.#host();
    const name = `change-${++this.#landings}`;
    await post('branches', { name });
    if (target !== 'main') await post('branches', { name: target });
    await post(`branches/${name}/resync-files`, { files: [{ path: name, content: 'x' }] });
    const { json } = await post('merges', { sourceBranch: name, targetBranch: target, summary: name });
    const id = String(json['proposalId']);
    await post(`merges/${id}/review`, { decision: 'Approved' });
    await writeFile(join(this.#base, 'after'), when === 'after' ? 'yes' : 'no');
    await writeFile(join(this.#base, 'armed'), String(nth));
    const answered = await post(`merges/${id}/apply`).catch(() => undefined);
    await rm(join(this.#base, 'armed'), { force: true });
    if (answered !== undefined) {
      expect(answered.status, JSON.stringify(answered.json)).toBe(200);
    } else {
      await process.exited;
      this.#running = undefined;
      const again = await this.#host();
      const retried = await again.post(`merges/${id}/apply`);
      // It has landed by itself since, or does so now; there is no third way.
      expect([200, 409], JSON.stringify(retried.json)).toContain(retried.status);
      if (retried.status === 409) expect(retried.json['details']).toMatchObject({ status: 'Merged' });
    }
    await this.#expectOnce(id, name, target);
    return answered === undefined;
  }

  async #expectOnce(id: string, name: string, target: string): Promise<void> {
    const { post } = await this.#host();
    const { json } = await post(`branches/${target}/checkout`);
    expect(await readFile(join(String(json['workingDirectory']), name), 'utf8')).toBe('x');
    if (target !== 'main') return;
    const log = await this.#git(['log', 'main', '--first-parent', '--format=%B%x00']);
    expect(log.split('\0').filter((message) => message.includes(id))).toHaveLength(1);
    expect(await this.#git(['status', '--porcelain'])).toBe('');
  }

  async #host(): Promise<Running> {
    if (this.#running) return this.#running;
    const path = `${join(this.#base, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const args = ['studio', '--listen', '127.0.0.1:0', '--store', join(this.#base, 'store')];
    const host = new WeftProcess(args, { env: { PATH: path } });
    const [, url = ''] = await host.line(/^(http:\S+\/studio)$/);
    const tokens = JSON.parse(await readFile(join(this.#base, 'store', 'studio.tokens.json'), 'utf8')) as {
      admin: string;
    };
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
    const post: Running['post'] = async (where, body = {}) => {
      const answer = await fetch(`${url}/${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    };
    this.#running = { process: host, post };
    return this.#running;
  }

  async #prepare(): Promise<void> {
    const { stdout } = await run('sh', ['-c', 'command -v git']);
    const bin = join(this.#base, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'git'), countingGit(stdout.trim(), this.#base));
    await chmod(join(bin, 'git'), 0o755);
    await run('git', ['init', '--quiet', '--initial-branch=main', this.#project]);
    await writeFile(join(this.#project, 'a'), '1\n');
    await this.#git(['add', '.']);
    await this.#git(['-c', 'user.name=T', '-c', 'user.email=t@example.test', 'commit', '--quiet', '-m', 'first']);
    const { post } = await this.#host();
    expect((await post('repositories', { path: this.#project })).status).toBe(200);
  }

  async #git(args: readonly string[]): Promise<string> {
    return (await run('git', args, { cwd: this.#project })).stdout.trim();
  }
}

/** Counts down to the call at which its parent is killed, with or without having done what it was called for. */
function countingGit(real: string, folder: string): string {
  return `#!/bin/sh
if left=$(cat '${folder}/armed' 2>/dev/null); then
  left=$((left - 1))
  echo $left > '${folder}/armed'
  if [ $left -eq 0 ]; then
    rm -f '${folder}/armed'
    if [ "$(cat '${folder}/after')" = yes ]; then '${real}' "$@" > /dev/null; fi
    kill -9 $PPID
    exit 1
  fi
fi
exec '${real}' "$@"
`;
}
