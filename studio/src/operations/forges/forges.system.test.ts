/** The battery of forges for those that are not in every run: the studio is the same, the vendor's interface is not. */
import { it } from 'vitest';
import { playFlow } from '../../testing/forge-flow.js';

it.each(['gitea', 'gitlab'] as const)(
  'work with a repository at %s goes from an issue to the branch of the user',
  playFlow,
);
