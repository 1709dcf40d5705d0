/**
 * Recorder: writes every turn of a model, and what tools had answered before it, as a script that replays the run. A line is
 * durable before its asker continues.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { ModelRequest, Provider } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { likenessOf } from './digest.js';
import { SCRIPT_HEAD, type WrittenLine } from './script.js';

export function recording(provider: Provider, write: (line: WrittenLine) => Promise<void>): Provider {
  return {
    name: provider.name,
    async turn(request, options) {
      const asked = askedIn(request);
      try {
        const turn = await provider.turn(request, options);
        // What is native to a vendor means nothing to whoever replays it.
        const { text, calls, stop, usage, cut, refusal } = turn;
        await write({
          ...asked,
          text,
          calls: calls.map((call) => ({ ...call })),
          stop,
          usage,
          ...(cut && { cut }),
          ...(refusal === undefined ? {} : { refusal }),
        });
        return turn;
      } catch (error) {
        // An aborted turn has taught its asker nothing.
        if (error instanceof ProviderError && error.fault !== 'stopped') {
          const { fault, retryAfterMs } = error;
          await write({ ...asked, fault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
        }
        throw error;
      }
    },
  };
}

/** Append-only file of lines, readable by its owner alone: it holds all that was said. */
export class RecordingFile {
  readonly #file: FileHandle;
  #last: Promise<void>;

  private constructor(file: FileHandle, isNew: boolean) {
    this.#file = file;
    this.#last = isNew ? this.#append(SCRIPT_HEAD) : Promise.resolve();
  }

  static async open(path: string): Promise<RecordingFile> {
    const file = await open(path, 'a', 0o600);
    const { size } = await file.stat();
    return new RecordingFile(file, size === 0);
  }

  write(line: WrittenLine): Promise<void> {
    const written = this.#last.then(() => this.#append(line));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file.close();
  }

  async #append(line: unknown): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(line)}\n`);
    await this.#file.datasync();
  }
}

function askedIn(request: ModelRequest): WrittenLine {
  const { about = {}, messages } = request;
  const { role, unit, title, turn } = about;
  const { asked, names } = likenessOf(request);
  const since = messages.slice(messages.findLastIndex((one) => one.role === 'assistant') + 1);
  const results = since.flatMap((one) => {
    if (one.role !== 'tool') return [];
    const { callId, text, isError } = one;
    return [{ callId, text, isError }];
  });
  return {
    when: {
      ...(role === undefined ? {} : { role }),
      ...(unit === undefined ? {} : { unit }),
      ...(title === undefined ? {} : { title }),
    },
    ...(turn === undefined ? {} : { turn }),
    asked,
    names: [...names],
    ...(results.length === 0 ? {} : { results }),
  };
}
