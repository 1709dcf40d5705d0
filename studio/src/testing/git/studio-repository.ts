import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitRepository } from './git-repository.js';
import { tempFolder } from '../temp-folder.js';
import { type Answer, type TestStudio, startTestStudio } from '../test-studio.js';

export interface StudioRepository {
  readonly studio: TestStudio;
  /** The user's folder. */
  readonly folder: string;
  /** Its first commit. */
  readonly commit: string;
  readonly repositoryId: string;
  post(path: string, body?: object): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Makes a branch with these files changed. */
  branch(name: string, files: Readonly<Record<string, string | null>>, fromBranchId?: string): Promise<void>;
  /** Offers a branch, and answers the proposal's id. */
  propose(sourceBranch: string, targetBranch?: string, more?: object): Promise<string>;
  /** Offers a branch, and says yes to it. */
  approved(sourceBranch: string, targetBranch?: string, more?: object): Promise<string>;
}

/** A studio with one registered repository that holds these files. */
export async function studioWith(files: Readonly<Record<string, string>> = { a: '1\n', 'dir/b': '2\n' }) {
  const studio = await startTestStudio();
  const folder = join(await tempFolder(), 'user');
  const commit = await gitRepository(folder, files);
  return withRepository(studio, folder, commit);
}

export async function withRepository(studio: TestStudio, folder: string, commit: string): Promise<StudioRepository> {
  const registered = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  const { repositoryId } = registered.json as { repositoryId: string };
  const post = (path: string, body: object = {}): Promise<Answer> => studio.call('POST', `/studio/${path}`, { body });
  const expectOk = async (asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked;
    if (answer.status !== 200) throw new Error(answer.text);
    return answer;
  };
  const propose = async (sourceBranch: string, targetBranch = 'main', more: object = {}): Promise<string> => {
    const body = { sourceBranch, targetBranch, summary: `take ${sourceBranch}`, ...more };
    return ((await expectOk(post('merges', body))).json as { proposalId: string }).proposalId;
  };
  return {
    studio,
    folder,
    commit,
    repositoryId,
    post,
    propose,
    get: (path) => studio.call('GET', `/studio/${path}`, { as: 'read' }),
    branch: async (name, files, fromBranchId = 'main') => {
      await expectOk(post('branches', { name, fromBranchId }));
      const entries = Object.entries(files);
      await expectOk(
        post(`branches/${encodeURIComponent(name)}/resync-files`, {
          files: entries.flatMap(([path, content]) => (content === null ? [] : [{ path, content }])),
          deletedPaths: entries.flatMap(([path, content]) => (content === null ? [path] : [])),
        }),
      );
    },
    approved: async (sourceBranch, targetBranch, more) => {
      const id = await propose(sourceBranch, targetBranch, more);
      await expectOk(post(`merges/${id}/review`, { decision: 'Approved' }));
      return id;
    },
  };
}

/** Where the objects of the only repository lie. */
export async function storeOf({ branches }: Pick<TestStudio, 'branches'>): Promise<string> {
  const [name = ''] = await readdir(join(branches, 'git'));
  return join(branches, 'git', name);
}
