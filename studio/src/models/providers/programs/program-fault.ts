/** Error mapping of programs that run models. They report errors in words for people. */
import type { ProviderFault } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { parseJson } from '../replies/parse-json.js';

const words: readonly (readonly [RegExp, ProviderFault])[] = [
  [/api key|log(ged)? ?in|authenticat|unauthorized|token (has )?expired|\b40[13]\b/i, 'unauthorized'],
  [/rate.?limit|usage limit|too many requests|\b429\b/i, 'rate-limited'],
  [/overloaded|unavailable|\b5\d\d\b/i, 'overloaded'],
  [/too long|context (length|window)|maximum context/i, 'too-long'],
  [/timed? ?out/i, 'timeout'],
  [/connect|network|stream (error|disconnected)|ECONN|ENOTFOUND/i, 'unreachable'],
];
/** Message of a program that does not know its arguments. */
const isOther = /(unknown|unexpected|unrecogni[sz]ed|invalid) (option|argument|flag|subcommand)/i;
const MOST_QUOTED = 300;

export interface Spoken {
  readonly name: string;
  readonly key: string | undefined;
  /** Command by which its user logs in. */
  readonly logIn?: string | undefined;
  /** Unexpected output. */
  readonly noise?: Noise | undefined;
}

/** Fault of a program: one without a message may do better another time; one with an unknown message will repeat it. */
export function programFault({ name, key, logIn, noise }: Spoken, said: string): ProviderError {
  const quoted = (text: string): string =>
    (key === undefined || key === '' ? text : text.replaceAll(key, '[key]')).slice(-MOST_QUOTED);
  const strange = noise?.text ?? '';
  if (said === '' && strange === '') return new ProviderError('unreachable', `${name} ended without an answer`);
  const fault = words.find(([word]) => word.test(said === '' ? strange : said))?.[1] ?? 'refused';
  // Messages about a key show parts of it.
  if (fault === 'unauthorized') {
    const how = logIn ?? 'log in with it';
    return new ProviderError(
      fault,
      `${name} has no right to its model: as the user of this host, ${how}, or give a key`,
    );
  }
  if (said === '')
    return new ProviderError(
      fault,
      `${name} does not answer as it should: is it the right program? ${quoted(strange)}`,
    );
  if (isOther.test(said))
    return new ProviderError('refused', `${name} is of a version that this host does not know: ${quoted(said)}`);
  return new ProviderError(fault, `${name} says: ${quoted(said)}`);
}

/** Prefix of output that is not JSON, until something is. */
export class Noise {
  #text = '';
  #isOver = false;

  add(line: string): void {
    const text = line.trim();
    if (this.#isOver || text === '') return;
    if (parseJson(text) === undefined) this.#text = `${this.#text}${text}\n`.slice(0, MOST_QUOTED);
    else this.#isOver = true;
  }

  get text(): string | undefined {
    return this.#isOver || this.#text === '' ? undefined : this.#text.trim();
  }
}
