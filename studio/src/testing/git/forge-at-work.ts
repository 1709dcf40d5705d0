import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { ForgeKind } from '../../workspace/forges/forge.js';
import { type ForgeServer, type TokenOf, openForgeServer } from '../../demo/forge/forge-server.js';
import { git } from './git-repository.js';
import { commitThere } from './git-server.js';
import { scriptedModels } from '../models/scripted-models.js';
import { tempFolder } from '../temp-folder.js';
import { type Answer, type TestStudio, startTestStudio } from '../test-studio.js';
import type { StudioOptions } from '../../studio.js';

export const HOOK_SECRET = 'a secret of both sides';

export interface ForgeAtWork {
  readonly server: ForgeServer;
  readonly studio: TestStudio;
  /** The user's clone. */
  readonly folder: string;
  readonly repositoryId: string;
  post(path: string, body?: object): Promise<Answer>;
  get<T>(path: string): Promise<T>;
  look(): Promise<Answer>;
  /** Waits until something holds there, looking now and then. */
  until(holds: () => unknown): Promise<void>;
}

/** A forge on this machine; nothing may have been asked of it that its vendor does not know. */
export async function startForgeServer(kind: ForgeKind, tokenOf?: TokenOf): Promise<ForgeServer> {
  const server = await openForgeServer(kind, await tempFolder(), 'team/project', tokenOf);
  onTestFinished(async () => {
    await server.close();
    expect(server.violations).toEqual([]);
  });
  await git(server.git.folder, 'init', '--quiet', '--initial-branch=main', '--template=', 'seed');
  await commitThere(server.model.bare, join(server.git.folder, 'seed'), { 'greeting.txt': 'hello\n' }, 'first');
  return server;
}

/** Agents that write a greeting, another one each time they are asked, and reviewers who like it. */
function greeters() {
  let times = 0;
  return scriptedModels(({ role, turn, branchId }) => {
    if (role === 'reviewer')
      return { calls: [['merge_review', { decision: 'Approved', verificationResults: 'read it' }]] };
    if (turn > 0) {
      // Some forges know a draft by its title; what is offered is none.
      const said = { summary: 'Draft: [WIP] A new greeting', changeDescription: 'The one before was old.' };
      return { calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', ...said }]] };
    }
    times += 1;
    return {
      calls: [
        ['workspace_read', { path: 'greeting.txt' }],
        ['workspace_write', { path: 'greeting.txt', content: `hello ${times}\n` }],
      ],
    };
  });
}

/** A studio with a clone of the forge's repository, connected to it. */
export async function forgeAtWork(
  kind: ForgeKind,
  options: Partial<StudioOptions> = {},
  connection: object = {},
  tokenOf?: TokenOf,
): Promise<ForgeAtWork> {
  const server = await startForgeServer(kind, tokenOf);
  const studio = await startTestStudio(undefined, {
    cloneProtocols: ['http'],
    forges: { everyMs: 3_600_000 },
    keys: { [kind]: server.token, hook: HOOK_SECRET },
    agents: { models: greeters() },
    ...options,
  });
  const folder = join(await tempFolder(), 'mine');
  const post = (path: string, body: object = {}): Promise<Answer> => studio.call('POST', `/studio/${path}`, { body });
  const withToken = server.git.url(server.project).replace('//', `//${server.git.credentials}@`);
  const made = await post('repositories/clone', { url: withToken, targetPath: folder });
  expect(made.status, made.text).toBe(200);
  // Clones of people have no token in their address.
  await git(folder, 'remote', 'set-url', 'origin', server.git.url(server.project));
  const { repositoryId } = made.json as { repositoryId: string };
  const connected = await studio.call('PUT', `/studio/repositories/${repositoryId}/forge`, {
    body: { kind, api: server.api, hookRef: 'hook', ...connection },
  });
  expect(connected.json, connected.text).toMatchObject({ project: 'team/project', base: 'main', hasToken: true });
  const look = (): Promise<Answer> => post(`repositories/${repositoryId}/forge/look`);
  return {
    server,
    studio,
    folder,
    repositoryId,
    post,
    look,
    get: async <T>(path: string) => (await studio.call('GET', `/studio/${path}`)).json as T,
    until: async (holds) => {
      await vi.waitFor(
        async () => {
          const looked = await look();
          expect(await holds(), looked.text).toBeTruthy();
        },
        { timeout: 60_000, interval: 100 },
      );
    },
  };
}
