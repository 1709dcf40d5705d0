/** Git calls on one bare repository: bounded, and refused when git fails. */
import { LastingAnswers } from './lasting-answers.js';
import { type GitSettings, failed, readGit } from './run-git.js';

/** Output limit; larger answers are lists of files of very large trees. */
const MOST_BYTES = 256 << 20;

export interface Asked {
  readonly input?: string | Uint8Array | undefined;
  readonly settings?: GitSettings;
  /** Exit codes that are answers, not errors. */
  readonly codes?: readonly number[];
  readonly most?: number;
  /** Whether a longer answer is truncated; else it is refused. */
  readonly isCut?: boolean;
  /** Working tree with the attributes in effect. Default: none. */
  readonly worktree?: string;
}

export interface Answer {
  readonly code: number;
  readonly bytes: Buffer;
  readonly text: string;
  /** End of what git said on stderr. */
  readonly said: string;
  /** False when the answer is truncated. */
  readonly isWhole: boolean;
}

/** Full id of an object. */
const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export class NodeGitCalls {
  readonly #folder: string;
  readonly #lasting = new LastingAnswers<Answer>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Asks about objects alone. Where all of them are named by full ids, an answer that was given before is given again. */
  async askAbout(
    ids: readonly string[],
    args: readonly string[],
    {
      lasts = () => true,
      ...asked
    }: Pick<Asked, 'input' | 'codes'> & { readonly lasts?: (answer: Answer) => boolean } = {},
  ): Promise<Answer> {
    if (!ids.every((id) => ID.test(id))) return this.ask(args, asked);
    return this.#lasting.of(JSON.stringify([args, asked.input]), () => this.ask(args, asked), lasts);
  }

  /** Forgets answers: objects have gone, or histories begin elsewhere. */
  forget(): void {
    this.#lasting.forget();
  }

  async ask(args: readonly string[], asked: Asked = {}): Promise<Answer> {
    const folder = this.#folder;
    const { input, settings = {}, codes = [0], most = MOST_BYTES, isCut = false, worktree } = asked;
    const where =
      worktree === undefined ? [] : [`--git-dir=${folder}`, `--work-tree=${worktree}`, '-c', 'core.bare=false'];
    const { bytes, isWhole, ...exit } = await readGit({
      folder: worktree ?? folder,
      args: [...where, ...args],
      most,
      isCut,
      timeoutMs: 120_000,
      ...(input === undefined ? {} : { input }),
      settings: { alone: true, ...settings },
    });
    if (!codes.includes(exit.code)) throw failed(args[0] ?? '', folder, exit);
    return { ...exit, bytes, isWhole, text: bytes.toString('utf8') };
  }
}
