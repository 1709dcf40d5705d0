/** File lease with a FIFO wait queue: which unit of a goal may change a file, and which ones wait for it. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), goalId: z.string(), path: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('FileLeaseAcquired'), ...about, workUnitId: z.string() }),
  z.object({
    type: z.literal('FileLeaseContended'),
    ...about,
    requestingWorkUnitId: z.string(),
    holderWorkUnitId: z.string(),
  }),
  /** Released by its holder, or no longer waited for. */
  z.object({ type: z.literal('FileLeaseReleased'), ...about, workUnitId: z.string() }),
]);
export type FileLeaseEvent = z.infer<typeof event>;
type Events = readonly FileLeaseEvent[];

export interface FileLease {
  readonly goalId: string;
  readonly path: string;
  readonly holderWorkUnitId?: string;
  /** When its holder was given it, or last renewed it, ISO 8601. Absent where that was not kept. */
  readonly heldSince?: string;
  readonly waitQueue: readonly string[];
}

/** How long a file is held without being written. */
const FILE_LEASE_MS = 30 * 60_000;

/** When a lease ends for whom others wait; undefined where nobody holds it, or nobody knows since when. */
export function leaseEnds({ holderWorkUnitId, heldSince }: FileLease): number | undefined {
  if (holderWorkUnitId === undefined || heldSince === undefined) return undefined;
  return Date.parse(heldSince) + FILE_LEASE_MS;
}

type Asked = { readonly goalId: string; readonly path: string; readonly workUnitId: string };

export const fileLease = aggregate<FileLease>()({
  name: 'file-lease',
  room: 'workgroup',
  event,
  workUnitOf: ({ holderWorkUnitId }) => holderWorkUnitId,
  evolve(state, event, { at: heldSince }) {
    const { goalId, path } = event;
    const { waitQueue = [], holderWorkUnitId } = state ?? {};
    const since = state?.heldSince === undefined ? {} : { heldSince: state.heldSince };
    switch (event.type) {
      case 'FileLeaseAcquired':
        return { goalId, path, holderWorkUnitId: event.workUnitId, heldSince, waitQueue };
      case 'FileLeaseContended': {
        const waiting = [...waitQueue, event.requestingWorkUnitId];
        return { goalId, path, holderWorkUnitId: event.holderWorkUnitId, ...since, waitQueue: waiting };
      }
      case 'FileLeaseReleased': {
        const others = waitQueue.filter((id) => id !== event.workUnitId);
        if (holderWorkUnitId !== event.workUnitId && holderWorkUnitId !== undefined)
          return { goalId, path, holderWorkUnitId, ...since, waitQueue: others };
        // The next in the queue holds it from here on.
        const [next, ...waiting] = others;
        return { goalId, path, ...(next !== undefined && { holderWorkUnitId: next, heldSince }), waitQueue: waiting };
      }
    }
  },
  decide: {
    ask(state, { goalId, path, workUnitId }: Asked, change): Events {
      const { holderWorkUnitId, waitQueue = [] } = state ?? {};
      if (holderWorkUnitId === undefined) return [{ type: 'FileLeaseAcquired', v: 1, goalId, path, workUnitId }];
      if (waitQueue.includes(workUnitId)) return [];
      if (holderWorkUnitId === workUnitId)
        return state && isHalfOver(state, change.at)
          ? [{ type: 'FileLeaseAcquired', v: 1, goalId, path, workUnitId }]
          : [];
      return [{ type: 'FileLeaseContended', v: 1, goalId, path, requestingWorkUnitId: workUnitId, holderWorkUnitId }];
    },

    release(state, { workUnitId }: { readonly workUnitId: string }): Events {
      if (!state || (state.holderWorkUnitId !== workUnitId && !state.waitQueue.includes(workUnitId))) return [];
      const { goalId, path } = state;
      return [{ type: 'FileLeaseReleased', v: 1, goalId, path, workUnitId }];
    },
  },
});

/** Whether a lease is to be renewed: at most twice in its time, however often its file is written. */
function isHalfOver(lease: FileLease, at: string): boolean {
  const ends = leaseEnds(lease);
  return ends === undefined || Date.parse(at) > ends - FILE_LEASE_MS / 2;
}

/** Canonical path of a file. Undefined for what is not inside the folder. */
export function normalisedPath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').toLowerCase().split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}
