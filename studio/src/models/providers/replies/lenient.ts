/** Lenient parsing: repairs tool calls that are slightly malformed. */
import { parseJson } from './parse-json.js';

/** Tool that is meant, if it is clear: in other letters, with other dashes, or behind a prefix. */
export function toolMeant(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const same = known.filter((tool) => plain(name) === plain(tool));
  const [only, ...others] =
    same.length > 0 ? same : known.filter((tool) => /[.:/]|__/.test(name) && plain(name).endsWith(plain(tool)));
  return only !== undefined && others.length === 0 ? only : name;
}

/** JSON inside a fence or a sentence, with trailing commas, or written as a string. Undefined if there is none. */
export function jsonMeant(text: string): unknown {
  const whole = parseJson(text);
  if (typeof whole === 'string') return parseJson(whole) ?? whole;
  if (whole !== undefined) return whole;
  const inner = innerOf(text);
  return parseJson(inner) ?? parseJson(withoutCommas(inner));
}

/** From the first bracket to the last that closes one: two searches, since a pattern would try each bracket as the first. */
function innerOf(text: string): string {
  const to = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  const from = text.search(/[[{]/);
  return from === -1 ? '' : text.slice(from, to + 1);
}

/** Removes trailing commas, outside of strings. A string without an end goes to the end, so that it is looked for once. */
function withoutCommas(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\[^])*"?|,(?=\s*[\]}])/g, (found) => (found === ',' ? '' : found));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
