// The document part of the text bench: how large a saved text is, how fast it opens, what a loaded copy costs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashText, measureInFreshProcess } from '../measuring/fresh-process.js';
import { type Contender, mustHold, timed } from '../measuring/harness.js';
import { type Figures, median } from '../measuring/statistics.js';
import type { TextEngine, TextReplica } from './text-engine.js';
import type { Edit } from '../measuring/trace.js';

const loads = 15;

export interface SavedText {
  readonly engine: TextEngine;
  readonly form: string;
  readonly trace: string;
  readonly text: string;
  /** Makes the replica that is saved; called once. */
  build(): Promise<TextReplica>;
  /** Folder of the bytes for the fresh processes. */
  readonly folder: string;
}

/** A replica on which somebody has typed the edits one by one, so that its document has the history of that. */
export async function typeDocument(engine: TextEngine, edits: readonly Edit[]): Promise<TextReplica> {
  const replica = await engine.create(0);
  if (replica.typeEach !== undefined) await replica.typeEach(edits);
  else await replica.typeAll?.(edits);
  return replica;
}

export function documentContender(saved: SavedText): Contender {
  const { engine, form, trace } = saved;
  let document: Promise<{ readonly bytes: Uint8Array; readonly file: string }> | undefined;
  return {
    name: `${engine.name} opens ${trace} ${form}`,
    run: async () => {
      document ??= save(saved);
      const { bytes, file } = await document;
      const fresh = await measureInFreshProcess({ engine: engine.name, form, file, textHash: hashText(saved.text) });
      return { pack_bytes: bytes.length, ...(await openWarm(saved, bytes)), ...fresh };
    },
  };
}

async function save({ engine, form, trace, text, build, folder }: SavedText) {
  const replica = await build();
  mustHold(replica.text() === text, 'the text that is to be saved is not that of the recording');
  const bytes = await replica.save?.(form);
  replica.free?.();
  if (bytes === undefined) throw new Error(`${engine.name} names the form ${form} and cannot save.`);
  const file = join(folder, `${engine.name}-${form}-${trace}`);
  writeFileSync(file, bytes);
  return { bytes, file };
}

/** Warm opens, one after the other, with no forced collection in between, which would double the figure. */
async function openWarm({ engine, form, text }: SavedText, bytes: Uint8Array): Promise<Figures> {
  const times: number[] = [];
  await timed(async () => {
    for (let load = 0; load < loads; load += 1) {
      const started = performance.now();
      const replica = await engine.open(bytes, form);
      const opened = replica.text();
      times.push(performance.now() - started);
      replica.free?.();
      mustHold(opened === text, 'the opened text is not the one that was saved');
    }
  });
  return { load_ms: median(times), load_first_ms: times[0] ?? NaN };
}
