/** Plan: how a work unit is divided into slices. It is validated when it is recorded, so its followers need not. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';

const MAX_SLICES = 200;

const Name = z.string().min(1).max(200);
const Texts = z.array(z.string().min(1).max(10_000)).max(1000);

export const PlanDocument = z.strictObject({
  slices: z
    .array(
      z.strictObject({
        sliceId: Name.describe('Names the slice within the plans of its work unit.'),
        goal: z.string().min(1).max(100_000).describe('What the slice is to achieve.'),
        contract: z
          .string()
          .max(100_000)
          .optional()
          .describe('What others rely on, word for word: signatures, names, formats.'),
        criteria: Texts.optional().describe('What will be checked, each observable; with the command that shows it.'),
        read: z
          .array(
            z.strictObject({
              path: z.string().min(1).max(4096).describe('The file.'),
              why: z.string().max(2000).describe('Why it should be read.'),
            }),
          )
          .max(50)
          .optional()
          .describe('Files that its agent should read first, with the reason.'),
        fileScope: Texts.default([]).describe('Globs of the files that it may change.'),
        dependsOn: z.array(Name).max(MAX_SLICES).default([]).describe('Slices that must be done before it.'),
        steps: Texts.default([]).describe('What is to be done, in order.'),
      }),
    )
    .min(1)
    .max(MAX_SLICES)
    .describe('The parts of the work.'),
});
export type PlanDocument = z.output<typeof PlanDocument>;
type Slice = PlanDocument['slices'][number];

/** Parses and validates a plan. `known` are slices of the unit's earlier plans, on which new ones may depend. */
export function parsePlan(given: string | object, known: ReadonlySet<string> = new Set()): PlanDocument {
  const raw = typeof given === 'string' ? parsed(given) : given;
  const plan = PlanDocument.safeParse(raw);
  if (!plan.success) {
    const faults = plan.error.issues.slice(0, 20).map(({ path, message }) => ({ field: path.join('.'), message }));
    const text = faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
    throw refusal('reject.plan_invalid', `planContent is not a plan: ${text}`, faults);
  }
  checkSlices(plan.data.slices, known);
  return plan.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refusal('reject.plan_invalid', `planContent is not JSON: ${why}`);
  }
}

/** Slices of a recorded plan; none when its format is unknown. */
export function slicesOf(body: string | undefined): readonly Slice[] {
  try {
    return PlanDocument.parse(JSON.parse(body ?? '')).slices;
  } catch {
    return [];
  }
}

function checkSlices(slices: readonly Slice[], known: ReadonlySet<string>): void {
  const byId = new Map(slices.map((slice) => [slice.sliceId, slice]));
  if (byId.size < slices.length) {
    const ids = slices.map(({ sliceId }) => sliceId);
    const repeated = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))];
    throw refusal('reject.plan_invalid', `slices are named twice: ${repeated.join(', ')}`, { repeated });
  }
  const missing = slices.flatMap((slice) => slice.dependsOn.filter((id) => !byId.has(id) && !known.has(id)));
  if (missing.length > 0)
    throw refusal('reject.plan_invalid', `slices depend on what is in no plan: ${missing.join(', ')}`, { missing });
  const cycle = cycleIn(byId);
  if (cycle) throw refusal('reject.plan_invalid', `slices wait for each other: ${cycle.join(', ')}`, { cycle });
}

/** Cycle detection by Kahn's algorithm: removes slices without open dependencies until none is left; the rest is the cycle. */
function cycleIn(slices: ReadonlyMap<string, Slice>): string[] | undefined {
  const left = new Map(slices);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [id, slice] of left) if (!slice.dependsOn.some((needed) => left.has(needed))) left.delete(id);
  }
  return left.size === 0 ? undefined : [...left.keys()];
}
