/** What went wrong with a program that runs a model. Programs tell it in words for people. */
import type { ProviderFault } from '../provider.js';
import { ProviderError } from '../provider.js';

const words: readonly (readonly [RegExp, ProviderFault])[] = [
  [/api key|log ?in|authenticat|unauthorized|\b40[13]\b/i, 'unauthorized'],
  [/rate.?limit|usage limit|too many requests|\b429\b/i, 'rate-limited'],
  [/overloaded|unavailable|\b5\d\d\b/i, 'overloaded'],
  [/too long|context (length|window)|maximum context/i, 'too-long'],
  [/timed? ?out/i, 'timeout'],
  [/connect|network|stream (error|disconnected)|ECONN|ENOTFOUND/i, 'unreachable'],
];
const MOST_QUOTED = 300;

/** One that says nothing may do better another time; one that says something unknown will say it again. */
export function programFault(name: string, said: string, key: string | undefined): ProviderError {
  if (said === '') return new ProviderError('unreachable', `${name} ended without an answer`);
  const fault = words.find(([word]) => word.test(said))?.[1] ?? 'refused';
  // What is said of a key shows parts of it.
  if (fault === 'unauthorized') return new ProviderError(fault, `${name} has no right to its model`);
  const hidden = key === undefined || key === '' ? said : said.replaceAll(key, '[key]');
  return new ProviderError(fault, `${name} says: ${hidden.slice(-MOST_QUOTED)}`);
}
