/**
 * Figures of speed and memory that a page claims. Each is a link to the section of bench/RESULTS.md that holds it, whose tables are made
 * from bench/history: so a claim has its run. Limits and waits are set, not measured: pages name them in seconds, minutes and KiB.
 */
import { type Pages, linesOutsideFences, linksIn } from './markdown.js';

const RESULTS = 'bench/RESULTS.md';
const claim = /\d[\d,.]*\s?(?:µs|ns|ms)\b|\d[\d,.]*\s?×|\d[\d,.]*(?:\s(?!KiB)\w+)?\s?\/s\b/;

export function unprovenFigures(pages: Pages, results: string): string[] {
  const found: string[] = [];
  for (const [page, text] of pages) {
    for (const [index, line] of linesOutsideFences(text).entries()) {
      const plain = line.replace(/`[^`]*`/g, '');
      const links = linksIn(plain).filter(({ target }) => target.includes(RESULTS) || target.startsWith('RESULTS.md'));
      const wrong = links.filter(({ label, target }) => !holds(results, target.split('#')[1] ?? '', label));
      found.push(...wrong.map(({ label }) => `${page}:${index + 1} ${label} is not in that section of ${RESULTS}`));
      const rest = links.reduce((kept, { label, target }) => kept.replace(`[${label}](${target})`, ''), plain);
      const bare = claim.exec(rest)?.[0];
      if (bare !== undefined) found.push(`${page}:${index + 1} ${bare} is claimed without a run`);
    }
  }
  return found;
}

/** A label with a figure must be found among the figures of its section; one without is a reference like any other. */
function holds(results: string, bench: string, label: string): boolean {
  const figures = label.match(/\d[\d,.]*/g) ?? [];
  const section = results.split(/^## /m).find((part) => part.startsWith(`${bench}\n`)) ?? '';
  const there = new Set(section.match(/\d[\d,.]*/g));
  return figures.every((figure) => there.has(figure));
}
