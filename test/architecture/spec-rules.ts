/** The numbered rules of core/SPEC.md, held against the tests that cite them. */
import type { Files } from './source-tree.js';

const RULE = /^- \*\*\[([A-Z]{2}\d+)\]\*\*/gm;
/**
 * Citation of a rule, such as `[PK3]`; where code refers to rules in prose, the letters may stand alone, like `[HS]`.
 */
const CITATION = /\[([A-Z]{2}\d+)\]/g;
const DIALOGUE_RULE = /"rule": "([A-Z]{2}\d+)"/g;

const isTest = (path: string): boolean =>
  path.endsWith('.test.ts') || /^core\/src\/testing\/batteries\/[a-z]+-(battery|cases)\.ts$/.test(path);
const isDialogue = (path: string): boolean => path.startsWith('conformance/dialogues/');

/** Broken citations: a line for each rule without a test, for each of two rules of one number, and for each citation of a rule that does not exist. */
export function brokenCitations(spec: string, files: Files): string[] {
  const written = find(RULE, spec);
  const rules = new Set(written);
  const twice = written.filter((rule, at) => written.indexOf(rule) !== at).map((rule) => `two rules are [${rule}]`);
  const tested = new Set<string>();
  const unknown = new Set<string>();
  for (const [path, text] of files) {
    if (!path.endsWith('.ts') && !isDialogue(path)) continue;
    const cited = isDialogue(path) ? find(DIALOGUE_RULE, text) : find(CITATION, text);
    for (const rule of cited) {
      if (!rules.has(rule)) unknown.add(`${path} cites [${rule}], which core/SPEC.md does not have`);
      else if (isTest(path) || isDialogue(path)) tested.add(rule);
    }
  }
  const untested = [...rules].filter((rule) => !tested.has(rule)).map((rule) => `no test cites [${rule}]`);
  return [...twice, ...untested, ...unknown];
}

function find(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, rule]) => rule ?? []);
}
