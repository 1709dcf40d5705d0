/** Who is at a conflict: the work that brings both sides together, as long as it is not resolved. */
import type { MergeConflict } from '@weft/studio-client';
import { pathTo } from '../core/route.js';
import { visible } from './text.js';
import { State, shortId } from './ui.js';

type Conflict = Pick<MergeConflict, 'conflictingPaths' | 'status' | 'workUnitId' | 'reconcilingWorkUnitId'>;

export function AtIt({ of }: { readonly of: Conflict }) {
  const { conflictingPaths, status, workUnitId, reconcilingWorkUnitId } = of;
  return (
    <div class="row wrap">
      <State is={status} />
      <code class="grow">{conflictingPaths.map(visible).join(', ')}</code>
      {status === 'Reconciling' && reconcilingWorkUnitId !== undefined && (
        <span class="quiet">
          {reconcilingWorkUnitId === workUnitId ? 'its own agent brings it up to date: ' : 'brought together by '}
          <a href={pathTo('units', reconcilingWorkUnitId)}>{shortId(reconcilingWorkUnitId)}</a>
        </span>
      )}
    </div>
  );
}
