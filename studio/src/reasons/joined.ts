import type { ReasonRow } from './reason-row.js';

type Rows = Readonly<Record<string, ReasonRow>>;
type Joined<Subjects extends readonly Rows[]> = Subjects extends readonly [infer First, ...infer Rest extends Rows[]]
  ? First & Joined<Rest>
  : unknown;

/** Merged catalogue of all subjects. Throws when two of them define the same reason, since one would silently win. */
export function joined<const Subjects extends readonly Rows[]>(...subjects: Subjects): Joined<Subjects> {
  const names = subjects.flatMap((rows) => Object.keys(rows));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`named by two subjects of reasons: ${twice.join(', ')}`);
  // Holds every row of every subject, as its type says.
  return Object.assign({}, ...subjects) as Joined<Subjects>;
}
