/** Written files: what the calls of an agent say that it has written, whichever program the agent is. */
import type { ConversationLogEntry } from '@weft/studio-client';

export interface WrittenFile {
  readonly path: string;
  /** What was done to it last. */
  readonly does: 'written' | 'moved' | 'deleted';
  readonly times: number;
  readonly at: string;
}

/** Tools that write, those of programs that work as agents included, by how their names end. */
const WRITES = [
  [/(^|_)(write|edit|replace|patch|multiedit|notebookedit)$/i, 'written'],
  [/(^|_)move$/i, 'moved'],
  [/(^|_)delete$/i, 'deleted'],
] as const;

export function filesIn(
  entries: readonly Pick<ConversationLogEntry, 'toolCalls' | 'toolResults' | 'occurredAt'>[],
): readonly WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const { toolCalls, toolResults, occurredAt: at } of entries)
    for (const { toolUseId, name, inputJson } of toolCalls) {
      const does = WRITES.find(([ends]) => ends.test(name))?.[1];
      const answer = toolResults.find((one) => one.toolUseId === toolUseId);
      if (does === undefined || answer === undefined || answer.isError === true) continue;
      for (const path of pathsIn(inputJson)) {
        const times = (files.get(path)?.times ?? 0) + 1;
        // To the end, as the newest.
        files.delete(path);
        files.set(path, { path, does, times, at });
      }
    }
  return [...files.values()].reverse();
}

/** Names of files in a patch; one that it deletes is named on the side before. */
const IN_PATCH =
  /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?!\/dev\/null)(?:b\/)?|--- a\/(?=.+\n\+\+\+ \/dev\/null))(.+)$/gm;

function pathsIn(json: string): readonly string[] {
  let input: Readonly<Record<string, unknown>>;
  try {
    input = JSON.parse(json) ?? {};
  } catch {
    return [];
  }
  const named = ['path', 'file_path', 'notebook_path', 'to'].flatMap((name) => {
    const path = input[name];
    return typeof path === 'string' ? [path] : [];
  });
  const { patch } = input;
  return [...named, ...(typeof patch === 'string' ? [...patch.matchAll(IN_PATCH)].map(([, path = '']) => path) : [])];
}
