/**
 * Journal in one file of JSON lines in the data folder, for its owner alone, since it holds secrets. What adds or removes a webhook is
 * synced; what was told is not.
 */
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Journal, type Line } from './journal.js';

/** Lines beyond those that are needed, before the file is written anew. */
const MOST_OLD_LINES = 20_000;
const LINES_AT_ONCE = 1000;

export class FileJournal extends Journal {
  readonly #path: string;
  #file: FileHandle | undefined;
  #lines = 0;

  private constructor(path: string) {
    super();
    this.#path = path;
  }

  static async open(path: string): Promise<FileJournal> {
    const journal = new FileJournal(path);
    await journal.#read();
    return journal;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#file?.close();
    this.#file = undefined;
  }

  protected override async keep(lines: readonly Line[], isDurable: boolean): Promise<void> {
    this.#file ??= await open(this.#path, 'a', 0o600);
    await append(this.#file, lines);
    if (isDurable) await this.#file.sync();
  }

  protected override async kept(count: number): Promise<void> {
    this.#lines += count;
    if (this.#lines > 2 * this.needed().length + MOST_OLD_LINES) await this.#rewrite();
  }

  async #read(): Promise<void> {
    const path = this.#path;
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const lines = text.split('\n');
    // Behind the last newline stands nothing, or what a power failure has left of a line.
    const torn = lines.pop() ?? '';
    lines.forEach((line, at) => {
      try {
        this.apply(JSON.parse(line) as Line);
      } catch (error) {
        throw new Error(`${path}, line ${at + 1}: it is no note about a webhook; put it right, or take the line out`, {
          cause: error,
        });
      }
    });
    this.#lines = lines.length;
    if (torn !== '') await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    const path = this.#path;
    const lines = this.needed();
    await this.#file?.close();
    this.#file = undefined;
    await rm(`${path}.new`, { force: true });
    const file = await open(`${path}.new`, 'wx', 0o600);
    try {
      await append(file, lines);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    const folder = await open(dirname(path));
    await folder.sync().finally(() => folder.close());
    this.#lines = lines.length;
  }
}

async function append(file: FileHandle, lines: readonly Line[]): Promise<void> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
    await file.appendFile(
      lines
        .slice(at, at + LINES_AT_ONCE)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
}
