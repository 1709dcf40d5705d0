/**
 * Findings of a reviewer: what is wrong, how bad it is, and in which line of which file. As notes of a review they are lines that begin with
 * their place, as comments of people on the page are, so that both are read, shown and worked on alike. Pure.
 */
import { z } from 'zod';

export const Finding = z.object({
  severity: z.enum(['blocker', 'major', 'minor', 'note']).describe('How bad it is.'),
  path: z.string().min(1).max(4096).optional().describe('File in which it is, from the root of the repository.'),
  line: z.number().int().min(1).optional().describe('Line there.'),
  placeless: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Why it has no path and line: because what is missing has no place yet, or it is about all of it.'),
  text: z.string().min(1).max(4000).describe('In which circumstances it goes wrong, and what happens then.'),
});
export type Finding = z.infer<typeof Finding>;

export interface Reviewed {
  readonly decision: 'Approved' | 'Rejected';
  readonly findings: readonly Finding[];
  /** Files of the branch, and those that the proposal takes away. */
  readonly files: ReadonlySet<string>;
}

/** What is wrong with findings as they were handed in, for who handed them in; undefined when they can be worked on. */
export function wrongFinding({ decision, findings, files }: Reviewed): string | undefined {
  if (decision === 'Rejected' && findings.length === 0)
    return 'a rejection says what is wrong: give each finding with its path and line, or with placeless where it has none';
  const at = findings.findIndex(({ path, line, placeless }) => !(path && line) && placeless === undefined);
  if (at >= 0)
    return `finding ${at + 1} has no place: name path and line, or say in placeless why there is none, such as a test that is missing altogether`;
  const strange = findings.find(({ path }) => path !== undefined && !files.has(path));
  return strange && `there is no file ${strange.path}: name it from the root of the repository, as diff and grep do`;
}

/** Findings as lines, those with a place as `path:line: severity: text`. */
export function findingsText(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, path, line, placeless, text }) => {
      const said = `${severity}: ${text.replaceAll(/\s*\n\s*/g, ' ')}`;
      if (path === undefined) return placeless === undefined ? said : `${said} (${placeless})`;
      return `${path}${line === undefined ? '' : `:${line}`}: ${said}`;
    })
    .join('\n');
}
