/** Gives a constraint its scope, and takes it to the place that the scope asks for. */
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import { type ConstraintScope, enter, leave } from '../../rules/knowledge/constraints.js';
import type { Context } from '../kernel/context.js';

export async function rescope(context: Context, found: Artifact, scope: ConstraintScope): Promise<Artifact> {
  const now = await context.change((change) => enter(change, found, scope));
  await context.change((change) => leave(change, now));
  return context.answer(() => now);
}
