/** Pages of Markdown as lines, links and code spans. */

/** Path from the root of the checkout -> text. */
export type Pages = ReadonlyMap<string, string>;

export interface Link {
  readonly label: string;
  readonly target: string;
}

/** The lines of a page, blank where they belong to a block of code: what is in there runs, and says nothing to a reader. */
export function linesOutsideFences(text: string): string[] {
  let fenced = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) fenced = !fenced;
    return fenced || isFence ? '' : line;
  });
}

/** Links of a line, but those to other places of the world. */
export function linksIn(line: string): Link[] {
  return [...line.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)]
    .map(([, label = '', target = '']) => ({ label, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}
