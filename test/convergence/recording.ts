/** The recorded typing of bench/traces: what people did to one text, alone or at the same time. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

type Patch = readonly [position: number, deleted: number, inserted: string];

export interface Recording {
  readonly startContent?: string;
  readonly endContent: string;
  readonly txns: readonly {
    readonly patches: readonly Patch[];
    /**
     * Agent of the transaction, in recordings with several, and the earlier transactions that its positions refer to.
     */
    readonly agent?: number;
    readonly parents?: readonly number[];
  }[];
}

export function readRecording(name: string): Recording {
  const file = new URL(`../../bench/traces/${name}.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
}

/** Text that can be edited. */
export interface Editor {
  insert(position: number, text: string): void;
  delete(position: number, count: number): void;
}

export function replay(patches: readonly Patch[], editor: Editor): void {
  for (const [position, deleted, inserted] of patches) {
    if (deleted > 0) editor.delete(position, deleted);
    if (inserted !== '') editor.insert(position, inserted);
  }
}

/** The text after the patches, by splicing a string. */
export function spliced(text: string, patches: readonly Patch[]): string {
  let result = text;
  for (const [position, deleted, inserted] of patches) {
    result = result.slice(0, position) + inserted + result.slice(position + deleted);
  }
  return result;
}
