/**
 * Paths that Markdown names: what links lead to, and what stands in code spans and has the form of a path of this
 * checkout. A path that nothing answers to is a lie to the reader, and the first sign of a page that a move has left behind.
 */
import { posix } from 'node:path';
import { type Pages, linesOutsideFences, linksIn } from './markdown.js';

/** Whether the checkout has it: files, and folders without a slash at their end. */
export type Tree = ReadonlySet<string>;

/** `page:line what is wrong`, for every path that is not there and every anchor without a heading. */
export function brokenPaths(pages: Pages, tree: Tree): string[] {
  const found: string[] = [];
  for (const [page, text] of pages) {
    for (const [index, line] of linesOutsideFences(text).entries()) {
      const broken = [
        ...targetsIn(line).filter((target) => !leadsSomewhere(page, target, pages, tree)),
        ...spansOf(line, page).filter((span) => !isThere(page, span, tree)),
      ];
      found.push(...broken.map((path) => `${page}:${index + 1} ${path}`));
    }
  }
  return found;
}

function targetsIn(line: string): string[] {
  return linksIn(line.replace(/`[^`]*`/g, '``')).map(({ target }) => target);
}

function leadsSomewhere(page: string, target: string, pages: Pages, tree: Tree): boolean {
  const [path = '', anchor] = target.split('#');
  const to = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path)).replace(/\/$/, '');
  if (!tree.has(to)) return false;
  const text = pages.get(to);
  return anchor === undefined || text === undefined || anchorsOf(text).has(anchor);
}

/** Anchors as GitHub makes them from headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = linesOutsideFences(text).flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

const tops = /^(\.ci|core|server|studio|cli|client|test|bench|docs|examples|deploy)\//;
const source = /^[\w.@-][\w./@-]*\.(ts|tsx|mjs)$/;
const folder = /^[\w.-]+\/$/;
/** Pages about how the code is built. Elsewhere a name with a slash is a key, or a branch. */
const tour = /(^|\/)(README|CONTRIBUTING|REVIEW|architecture)\.md$/;

/** Code spans that mean something in this checkout: they begin at a folder of its root, or end as source files or a folder do. */
function spansOf(line: string, page: string): string[] {
  return [...line.matchAll(/`([^`\s]+)`/g)]
    .map(([, span = '']) => withoutPattern(span))
    .filter((span) => tops.test(span) || source.test(span) || (folder.test(span) && tour.test(page)));
}

/** `core/src/commands/<noun>.ts` and `bench/history/*.jsonl` name the folder in front of what stands for any name. */
function withoutPattern(span: string): string {
  const parts = span.split('/');
  const first = parts.findIndex((part) => /[<>*{}…]/.test(part));
  return first < 0 ? span : `${parts.slice(0, first).join('/')}/`;
}

/** From the root, from the page's folder, or as the end of a path: `graph/order.ts` is one file and `views/` one folder, wherever they lie. */
function isThere(page: string, span: string, tree: Tree): boolean {
  const path = span.replace(/\/$/, '');
  if (tree.has(path) || tree.has(posix.join(posix.dirname(page), path))) return true;
  return (source.test(path) || folder.test(span)) && [...tree].some((known) => known.endsWith(`/${path}`));
}
