/** Grammars of languages, each loaded when a file of it is first coloured, and what is shown of a tree that one makes. */
import type { Parser, Tree } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import type { Span } from './language.js';

const javascript = async (dialect: string): Promise<Parser> =>
  (await import('@lezer/javascript')).parser.configure({ dialect });

const loaders: Readonly<Record<string, () => Promise<Parser>>> = {
  javascript: () => javascript(''),
  jsx: () => javascript('jsx'),
  typescript: () => javascript('ts'),
  tsx: () => javascript('jsx ts'),
  json: async () => (await import('@lezer/json')).parser,
  css: async () => (await import('@lezer/css')).parser,
  html: async () => (await import('@lezer/html')).parser,
  python: async () => (await import('@lezer/python')).parser,
  rust: async () => (await import('@lezer/rust')).parser,
  go: async () => (await import('@lezer/go')).parser,
  java: async () => (await import('@lezer/java')).parser,
  cpp: async () => (await import('@lezer/cpp')).parser,
  yaml: async () => (await import('@lezer/yaml')).parser,
};

const kinds = tagHighlighter([
  { tag: [tags.comment, tags.meta], class: 'c' },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], class: 'k' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string), tags.attributeValue], class: 's' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: 'n' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: 't' },
  {
    tag: [
      tags.definition(tags.variableName),
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.definition(tags.propertyName),
      tags.propertyName,
      tags.attributeName,
    ],
    class: 'd',
  },
]);

export async function parserOf(language: string): Promise<Parser | undefined> {
  return loaders[language]?.();
}

/** Parts of the text that have a class, in their order. */
export function highlighted(tree: Tree, from: number, to: number): Span[] {
  const spans: Span[] = [];
  highlightTree(tree, kinds, (start, end, kind) => void spans.push([start, end, kind]), from, to);
  return spans;
}
