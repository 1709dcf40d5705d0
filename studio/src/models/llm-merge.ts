/** Merge by a model: it combines two changes of one file. People and tests see the result before the user does. */
import { z } from 'zod';
import type { FileVersions } from '../workspace/git/merges/file-versions.js';
import { askForJson } from './ask-for-json.js';
import type { Provider } from './provider.js';
import merge from './roles/merge.md';

const Answer = z.object({ content: z.string().nullable() });

/** Merged text; undefined when the model sees no way. */
export async function llmMerge(
  provider: Provider,
  model: string,
  { path, base, ours, theirs }: FileVersions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const shown = (name: string, content: string | null): string =>
    content === null ? `<${name} is="absent"/>` : `<${name}>\n${content}\n</${name}>`;
  const text = [`File: ${path}`, shown('before', base), shown('one', ours), shown('other', theirs)].join('\n\n');
  const request = {
    model,
    system: merge.trim(),
    maxTokens: 32_768,
    messages: [{ role: 'user' as const, text }],
    about: { role: 'merge', title: path },
  };
  const { answer } = await askForJson(provider, request, Answer, { signal });
  return answer.content ?? undefined;
}
