/**
 * Skills: folders of the repository with instructions that agents find by name, as they have reached the user. An agent changes none
 * for itself or for another before people have let it land.
 */
import { textOf } from '../../workspace/files/file-in-folder.js';
import { descriptionIn } from '../../workspace/files/skill-head.js';
import type { BranchContext } from './branch-context.js';
import { MAIN, headOf, storedBranch } from './stored-branch.js';

export interface Skill {
  readonly name: string;
  /** What it is for, on one line. */
  readonly description: string;
  /** Folder of the repository. */
  readonly folder: string;
  readonly text: string;
  /** Paths of all its files below its folder. */
  readonly files: readonly string[];
}

/** Folders that hold skills; a name in two of them is that of the first. */
const HOMES = ['.agents/skills', '.claude/skills'];
const INSTRUCTIONS = 'SKILL.md';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
const MOST_SKILLS = 100;
const LONGEST = 200_000;
const MOST_READ = 4_000_000;

export async function skillsOf(context: BranchContext, repositoryId: string | undefined): Promise<Skill[]> {
  const { store, files } = await landed(context, repositoryId);
  const found = new Map<string, { readonly folder: string; readonly id: string }>();
  for (const home of HOMES)
    for (const [path, id] of files) {
      const name = nameIn(path, home);
      if (name !== undefined && !found.has(name)) found.set(name, { folder: `${home}/${name}`, id });
    }
  const skills = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST_SKILLS);
  const texts = await store.readMany([...new Set(skills.map(([, { id }]) => id))], LONGEST, MOST_READ);
  return skills.flatMap(([name, { folder, id }]) => {
    const bytes = texts.get(id);
    const text = bytes && textOf(bytes);
    if (text === undefined) return [];
    const below = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
    return [
      {
        name,
        description: descriptionIn(text),
        folder,
        text,
        files: below.map((path) => path.slice(folder.length + 1)),
      },
    ];
  });
}

/** Bytes of a file of a skill; undefined where it has none of that name. */
export async function skillFile(
  context: BranchContext,
  repositoryId: string | undefined,
  { folder }: Skill,
  file: string,
): Promise<Buffer | undefined> {
  const { store, files } = await landed(context, repositoryId);
  const id = files.get(`${folder}/${file}`);
  return id === undefined ? undefined : (await store.readMany([id], LONGEST, LONGEST)).get(id);
}

/** Regular files of the user's branch, by path. */
async function landed(context: BranchContext, repositoryId: string | undefined) {
  const { store, ...branch } = await storedBranch(context, MAIN, repositoryId);
  const entries = await store.files(await headOf(context, { store, ...branch }));
  const files = entries.filter(({ mode }) => mode.startsWith('100')).map(({ path, id }) => [path, id] as const);
  return { store, files: new Map(files) };
}

function nameIn(path: string, home: string): string | undefined {
  if (!path.startsWith(`${home}/`)) return undefined;
  const [name = '', file, ...deeper] = path.slice(home.length + 1).split('/');
  return file === INSTRUCTIONS && deeper.length === 0 && NAME.test(name) ? name : undefined;
}
