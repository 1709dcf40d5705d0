/** A studio that is killed while a merge lands or is promoted, at a git of the test's choice, and started again. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';

const run = promisify(execFile);
const USER = ['-c', 'user.name=T', '-c', 'user.email=t@example.test'];

/** The git at which the host is killed. */
export interface At {
  readonly nth: number;
  /** Command of git; only calls with it are counted. */
  readonly of?: string;
  /** Moment of the kill: before git has done its work, or after. */
  readonly when: 'before' | 'after';
}

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

  /** Lands one change, with the host killed at that git. Answers whether it was ever reached. */
  async land(at: At, target: string): Promise<boolean> {
    const { id, name } = await this.#approved(target);
    const wasKilled = await this.#askAndKill(at, `merges/${id}/apply`);
    if (wasKilled) {
      const retried = await (await this.#host()).post(`merges/${id}/apply`);
      // It has landed by itself since, or does so now; there is no third way.
      expect([200, 409], JSON.stringify(retried.json)).toContain(retried.status);
      if (retried.status === 409) expect(retried.json['details']).toMatchObject({ status: 'Merged' });
    }
    await this.#expectOnce(id, name, target);
    return wasKilled;
  }

  /** Lands one change that is then tried out, and taken back when it is not fit, with the host killed at that git. */
  async tryOut(at: At, isFit: boolean): Promise<boolean> {
    const { post } = await this.#host();
    await post('options', { postMergeExecutionMode: 'Blocking', testCommand: 'test ! -e unfit' });
    const { id, name } = await this.#approved('main', isFit ? [] : ['unfit']);
    const wasKilled = await this.#askAndKill(at, `merges/${id}/apply`, isFit ? 200 : 409);
    if (wasKilled) {
      const { status, json } = await (await this.#host()).post(`merges/${id}/apply`);
      // It was ended by itself since, or is so now.
      if (status !== 200) {
        expect(status, JSON.stringify(json)).toBe(409);
        const known = { code: 'reject.wrong_state', details: { status: isFit ? 'Merged' : 'Rejected' } };
        const taken = { code: 'reject.merge_taken_back' };
        expect(isFit ? [known.code] : [known.code, taken.code]).toContain(json['code']);
        if (json['code'] === known.code) expect(json).toMatchObject(known);
      } else expect(isFit).toBe(true);
    }
    if (isFit) await this.#expectOnce(id, name, 'main');
    else await this.#expectTakenBack(id, name);
    return wasKilled;
  }

  /** Promotes what waits on the candidate branch, with the host killed at that git. */
  async promote(at: At): Promise<boolean> {
    const { id, name } = await this.#approved('candidate');
    const { post } = await this.#host();
    expect((await post(`merges/${id}/apply`)).json).toMatchObject({ landedOnCandidateBranch: true });
    // The user has gone on, so there is something to bring together.
    await writeFile(join(this.#project, `of-user-${name}`), 'y');
    await this.#git(['add', '.']);
    await this.#git([...USER, 'commit', '--quiet', '-m', `of user ${name}`]);
    const wasKilled = await this.#askAndKill(at, 'branches/candidate/promote');
    const again = wasKilled ? await (await this.#host()).post('branches/candidate/promote') : undefined;
    if (again) expect(again.status, JSON.stringify(again.json)).toBe(200);
    const { json } = await (await this.#host()).post('branches/candidate/promote');
    expect(json).toMatchObject({ proposalCount: 0 });
    await this.#expectOnce(id, name, 'main');
    expect(await readFile(join(this.#project, `of-user-${name}`), 'utf8')).toBe('y');
    return wasKilled;
  }

  async #approved(
    target: string,
    more: readonly string[] = [],
  ): Promise<{ readonly id: string; readonly name: string }> {
    const { post } = await this.#host();
    const name = `change-${++this.#landings}`;
    await post('branches', { name });
    if (target === 'goal') await post('branches', { name: target });
    const files = [name, ...more].map((path) => ({ path, content: 'x' }));
    await post(`branches/${name}/resync-files`, { files });
    const { json } = await post('merges', { sourceBranch: name, targetBranch: target, summary: name });
    const id = String(json['proposalId']);
    await post(`merges/${id}/review`, { decision: 'Approved' });
    return { id, name };
  }

  async #askAndKill({ nth, of = '', when }: At, path: string, expected = 200): Promise<boolean> {
    const { process, post } = await this.#host();
    await writeFile(join(this.#base, 'after'), when === 'after' ? 'yes' : 'no');
    await writeFile(join(this.#base, 'armed'), `${nth} ${of}\n`);
    const answered = await post(path).catch(() => undefined);
    await rm(join(this.#base, 'armed'), { force: true });
    if (answered !== undefined) expect(answered.status, JSON.stringify(answered.json)).toBe(expected);
    else {
      await process.exited;
      this.#running = undefined;
    }
    return answered === undefined;
  }

  async #expectOnce(id: string, name: string, target: string): Promise<void> {
    const { post } = await this.#host();
    const { json } = await post(`branches/${target}/checkout`);
    expect(await readFile(join(String(json['workingDirectory']), name), 'utf8')).toBe('x');
    // On the way there once, whichever way that was.
    const log = await this.#git(['log', `refs/weft/branches/${target}`, '--format=%B%x00'], await this.#store());
    expect(log.split('\0').filter((message) => message.includes(id))).toHaveLength(1);
    if (target === 'main') expect(await this.#git(['status', '--porcelain'])).toBe('');
  }

  /** Check that the change came once and went once, and nothing else did. */
  async #expectTakenBack(id: string, name: string): Promise<void> {
    const log = await this.#git(['log', 'main', '--first-parent', '--format=%s%x00%B%x01']);
    const about = log.split('\x01').filter((message) => message.includes(id));
    expect(about.map((message) => message.trim().split('\0')[0])).toEqual([`Take back ${id}`, name]);
    expect(await this.#git(['ls-files', name, 'unfit'])).toBe('');
    expect(await this.#git(['status', '--porcelain'])).toBe('');
  }

  async #host(): Promise<Running> {
    if (this.#running) return this.#running;
    const path = `${join(this.#base, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const args = ['studio', '--listen', '127.0.0.1:0', '--store', join(this.#base, 'store')];
    const host = new WeftProcess(args, { env: { PATH: path } });
    await writeFile(join(this.#base, 'host'), String(host.pid));
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
    await this.#git([...USER, 'commit', '--quiet', '-m', 'first']);
    const { post } = await this.#host();
    expect((await post('repositories', { path: this.#project })).status).toBe(200);
  }

  async #git(args: readonly string[], cwd = this.#project): Promise<string> {
    return (await run('git', args, { cwd })).stdout.trim();
  }

  /** Folder of the studio's own git store for the project. */
  async #store(): Promise<string> {
    const stores = join(this.#base, 'store', 'studio', 'git');
    return join(stores, (await readdir(stores))[0] ?? '');
  }
}

/** Counts down to the call at which the host is killed, with or without having done what it was called for. */
function countingGit(real: string, folder: string): string {
  return `#!/bin/sh
isMeant() {
  case "$of" in '') return 0 ;; esac
  case " $* " in *" $of "*) return 0 ;; esac
  return 1
}
if read -r left of 2>/dev/null < '${folder}/armed' && isMeant "$@"; then
  left=$((left - 1))
  echo "$left $of" > '${folder}/armed'
  if [ $left -eq 0 ]; then
    rm -f '${folder}/armed'
    if [ "$(cat '${folder}/after')" = yes ]; then '${real}' "$@" > /dev/null; fi
    kill -9 "$(cat '${folder}/host')"
    exit 1
  fi
fi
exec '${real}' "$@"
`;
}
