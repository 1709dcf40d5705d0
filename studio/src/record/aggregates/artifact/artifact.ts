/** Artifact: something that is known, and that work is based on. */
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { type ArtifactEvent, type ArtifactGiven, type ArtifactStatus, type Reach, artifactEvent } from './events.js';
import { type Artifact, evolve } from './state.js';

type Events = readonly ArtifactEvent[];

const AFTER: Readonly<Record<ArtifactStatus, readonly ArtifactStatus[]>> = {
  Active: ['Approved', 'Rejected', 'Superseded', 'Applied', 'Invalidated'],
  Approved: ['Rejected', 'Superseded', 'Applied', 'Invalidated'],
  Applied: ['Superseded', 'Invalidated'],
  Rejected: ['Invalidated'],
  Superseded: ['Invalidated'],
  Invalidated: [],
};

export interface Become {
  readonly to: ArtifactStatus;
  readonly reason?: string | undefined;
  readonly byArtifactId?: string | undefined;
}

/** Artifact aggregate of one room: what is private never leaves this host. */
const artifactIn = (room: 'workgroup' | 'local') =>
  aggregate<Artifact>()({
    name: room === 'local' ? 'private-artifact' : 'artifact',
    room,
    event: artifactEvent,
    evolve,
    workUnitOf: ({ ownedByWorkUnitId }) => ownedByWorkUnitId,
    decide: {
      record(state, given: ArtifactGiven & { readonly artifactId: string }): Events {
        if (state) throw new Error(`artifact ${given.artifactId} is there already`);
        return [{ type: 'ArtifactRecorded', v: 1, ...given }];
      },

      become(state, { to, reason, byArtifactId }: Become): Events {
        const { artifactId, status: previousStatus } = known(state);
        if (previousStatus === to) return [];
        const possible = AFTER[previousStatus];
        if (!possible.includes(to))
          throw refusal('reject.wrong_state', `an artifact that is ${previousStatus} cannot become ${to}`, {
            artifactId,
            status: previousStatus,
            possible,
          });
        const why = {
          ...(reason === undefined ? {} : { reason }),
          ...(byArtifactId === undefined ? {} : { byArtifactId }),
        };
        return [{ type: 'ArtifactStatusChanged', v: 1, artifactId, previousStatus, newStatus: to, ...why }];
      },

      /** Records at the root artifact what else was invalidated with it. */
      cascade(
        state,
        { reason, flaggedArtifactIds }: { reason: string; flaggedArtifactIds: readonly string[] },
      ): Events {
        const { artifactId } = known(state);
        const flagged = { reason, flaggedArtifactIds: [...flaggedArtifactIds] };
        return [{ type: 'ArtifactInvalidationCascaded', v: 1, artifactId, rootArtifactId: artifactId, ...flagged }];
      },

      rescope(
        state,
        { reach, repositoryId, scopeVersion }: { reach: Reach; repositoryId: string | null; scopeVersion: number },
      ): Events {
        const before = known(state);
        if (before.reach === reach && (before.repositoryId ?? null) === repositoryId) return [];
        const { artifactId } = before;
        return [{ type: 'ArtifactScopeChanged', v: 1, artifactId, reach, repositoryId, scopeVersion }];
      },
    },
  });

export const artifact = artifactIn('workgroup');
export const privateArtifact = artifactIn('local');

function known(state: Artifact | undefined): Artifact {
  if (!state) throw refusal('reject.artifact_not_found', 'no artifact has this id');
  return state;
}
