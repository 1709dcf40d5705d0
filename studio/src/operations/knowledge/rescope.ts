/** Rescoping of a constraint, which also moves it between the workgroup's room and the local one. */
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import { type ConstraintScope, enter, leave } from '../../rules/knowledge/constraints.js';
import type { Context } from '../kernel/context.js';

export async function rescope(context: Context, found: Artifact, scope: ConstraintScope): Promise<Artifact> {
  const now = await context.change((change) => enter(change, found, scope));
  await context.change((change) => leave(change, now));
  return context.answer(() => now);
}
