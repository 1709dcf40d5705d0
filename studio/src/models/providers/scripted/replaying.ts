/**
 * Replay: answers the same question as recorded, in this run or in another one of the same work, with this run's names in place
 * of the recorded ones. Other questions are refused, because no model is there to answer them.
 */
import type { Provider } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { likenessOf, renamed } from './digest.js';
import type { Script, ScriptLine } from './script.js';
import { play } from './scripted.js';

/** Providers by name, which all play the one recording. */
export function replaying(script: Script): (name: string) => Provider {
  const lines = new Map<string, ScriptLine[]>();
  for (const line of script)
    if (line.asked !== undefined) lines.set(line.asked, [...(lines.get(line.asked) ?? []), line]);
  return (name) => ({
    name,
    async turn(request, { signal, onText }) {
      if (signal.aborted) throw new ProviderError('stopped', 'the call was stopped');
      const { asked, names } = likenessOf(request);
      const [line, ...later] = lines.get(asked) ?? [];
      if (!line) throw new ProviderError('refused', 'this was not asked when it was recorded');
      // The last answer is repeated: an aborted asker asks again.
      if (later.length > 0) lines.set(asked, later);
      return play(inWordsOf(line, names), request, onText);
    },
  });
}

function inWordsOf(line: ScriptLine, now: readonly string[]): ScriptLine {
  const { names: then = [], text = '', calls = [] } = line;
  const meant = new Map(then.map((name, index) => [name, now[index] ?? name]));
  // Names contain nothing that JSON escapes.
  return {
    ...line,
    text: renamed(text, meant),
    calls: JSON.parse(renamed(JSON.stringify(calls), meant)) as typeof calls,
  };
}
