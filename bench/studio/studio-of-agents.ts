// A studio whose agents ask a vendor that a bench plays, and that vendor, in one process.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mustHold } from '../measuring/harness.js';
import { openStudio } from './studio.js';

const run = promisify(execFile);

export interface Vendor {
  readonly url: string;
  /** Questions that wait for an answer, or for its end. */
  open(): number;
  close(): void;
}

/** Vendor of models that speaks like OpenAI's API; `answer` is given what was asked. */
export async function startVendor(answer: (body: string, response: ServerResponse) => void): Promise<Vendor> {
  let open = 0;
  const server = createServer((request, response) => {
    let body = '';
    open += 1;
    response.on('close', () => (open -= 1));
    request.on('data', (bytes: Buffer) => (body += bytes.toString('utf8')));
    request.on('end', () => answer(body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // What listens on a port has such an address.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface StudioOfAgents {
  post(path: string, body?: object): Promise<unknown>;
  /** Has a worker begin. */
  begin(goal: string): Promise<void>;
  close(): Promise<void>;
}

/** Studio in a folder, with a repository there, of which so many agents may be at work at once. */
export async function studioOfAgents(folder: string, vendor: Vendor, most: number): Promise<StudioOfAgents> {
  const usual = { provider: 'openai', model: 'm', baseUrl: vendor.url };
  const { host, studio, token } = await openStudio(folder, { usual });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object = {}): Promise<unknown> => {
    const answer = await fetch(`${studio.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    mustHold(answer.ok, `${path} is answered ${answer.status}`);
    return answer.json();
  };
  await post('repositories', { path: await repositoryIn(folder) });
  await post('options', { maxConcurrentWorkers: most });
  return {
    post,
    async begin(goal) {
      // The shape of the studio's answer.
      const { workUnitId } = (await post('workunits', { goal })) as { workUnitId: string };
      await post('scheduler/enqueue', { workUnitId, profileId: 'worker' });
    },
    async close() {
      await studio.close();
      await host.close();
    },
  };
}

async function repositoryIn(folder: string): Promise<string> {
  const user = join(folder, 'user');
  await mkdir(user);
  await writeFile(join(user, 'a.txt'), '1\n');
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: user });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=one');
  return user;
}
