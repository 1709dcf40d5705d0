/** Collisions of work under way: who collides with whom, and who waits for whom because of it. */
import type { Collision } from '../../record/aggregates/collision/collision.js';
import type { ScheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Records } from '../../record/views/records.js';

const WRITES: readonly (string | undefined)[] = ['Execute', 'Reconcile'];

/** Open collisions of a unit. */
export function collisionsOf({ collisions }: Records, workUnitId: string): Collision[] {
  return collisions.where('open', workUnitId);
}

/** The other side of a collision. */
export function otherSide({ workUnitIds: [one, other] }: Collision, workUnitId: string): string {
  return one === workUnitId ? other : one;
}

/**
 * Unit at work that this one would go on colliding with: its turn comes when that has ended. Nobody waits for who is not at work, so two never
 * wait for each other. Who plans or reviews changes no file, and waits for nobody.
 */
export function collidesWithWork(records: Records, { workUnitId, profileId }: ScheduledItem): string | undefined {
  const writes = (id: string): boolean => WRITES.includes(records.agentProfiles.get(id)?.stage);
  if (!writes(profileId)) return undefined;
  return collisionsOf(records, workUnitId)
    .map((one) => otherSide(one, workUnitId))
    .find((id) => {
      const item = records.scheduledItems.get(id);
      return item?.place === 'leased' && writes(item.profileId);
    });
}
