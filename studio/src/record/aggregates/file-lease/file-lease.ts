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
  readonly waitQueue: readonly string[];
}

type Asked = { readonly goalId: string; readonly path: string; readonly workUnitId: string };

export const fileLease = aggregate<FileLease>()({
  name: 'file-lease',
  room: 'workgroup',
  event,
  workUnitOf: ({ holderWorkUnitId }) => holderWorkUnitId,
  evolve(state, event) {
    const { goalId, path } = event;
    const { waitQueue = [], holderWorkUnitId } = state ?? {};
    switch (event.type) {
      case 'FileLeaseAcquired':
        return { goalId, path, holderWorkUnitId: event.workUnitId, waitQueue };
      case 'FileLeaseContended': {
        const waiting = [...waitQueue, event.requestingWorkUnitId];
        return { goalId, path, holderWorkUnitId: event.holderWorkUnitId, waitQueue: waiting };
      }
      case 'FileLeaseReleased': {
        const others = waitQueue.filter((id) => id !== event.workUnitId);
        if (holderWorkUnitId !== event.workUnitId && holderWorkUnitId !== undefined)
          return { goalId, path, holderWorkUnitId, waitQueue: others };
        // The next in the queue holds it from here on.
        const [next, ...waiting] = others;
        return { goalId, path, ...(next === undefined ? {} : { holderWorkUnitId: next }), waitQueue: waiting };
      }
    }
  },
  decide: {
    ask(state, { goalId, path, workUnitId }: Asked): Events {
      const { holderWorkUnitId, waitQueue = [] } = state ?? {};
      if (holderWorkUnitId === undefined) return [{ type: 'FileLeaseAcquired', v: 1, goalId, path, workUnitId }];
      if (holderWorkUnitId === workUnitId || waitQueue.includes(workUnitId)) return [];
      return [{ type: 'FileLeaseContended', v: 1, goalId, path, requestingWorkUnitId: workUnitId, holderWorkUnitId }];
    },

    release(state, { workUnitId }: { readonly workUnitId: string }): Events {
      if (!state || (state.holderWorkUnitId !== workUnitId && !state.waitQueue.includes(workUnitId))) return [];
      const { goalId, path } = state;
      return [{ type: 'FileLeaseReleased', v: 1, goalId, path, workUnitId }];
    },
  },
});

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
