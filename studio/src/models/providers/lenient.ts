/** Calls that are slightly wrong, put right: for models that know what they want and not quite how to say it. */
import { parseJson } from './parse-json.js';

/** The tool that is meant, if it is clear: in other letters, with other dashes, or behind a prefix. */
export function toolMeant(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const same = known.filter((tool) => plain(name) === plain(tool));
  const [only, ...others] =
    same.length > 0 ? same : known.filter((tool) => /[.:/]|__/.test(name) && plain(name).endsWith(plain(tool)));
  return only !== undefined && others.length === 0 ? only : name;
}

/** JSON inside a fence or a sentence, with a comma too many, or written as a text. Undefined if it is none. */
export function jsonMeant(text: string): unknown {
  const whole = parseJson(text);
  if (typeof whole === 'string') return parseJson(whole) ?? whole;
  if (whole !== undefined) return whole;
  const inner = /[[{][^]*[\]}]/.exec(text)?.[0] ?? '';
  return parseJson(inner) ?? parseJson(withoutCommas(inner));
}

/** Those before a closing bracket, outside of texts. */
function withoutCommas(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (found) => (found === ',' ? '' : found));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
