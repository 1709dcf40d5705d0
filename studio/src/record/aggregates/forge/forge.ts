/** Forge: where a repository is kept for people, and what of it begins work here. Its id is that of the repository. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const FORGE_KINDS = ['github', 'gitlab', 'gitea'] as const;

export const MERGES = ['here', 'there'] as const;

const settings = {
  kind: z.enum(FORGE_KINDS),
  /** Base of its API. */
  api: z.string(),
  project: z.string(),
  /** Name of the token; the token itself is recorded nowhere. */
  tokenRef: z.string(),
  /** Name of the secret that notices are signed with. Absent: none are taken. */
  hookRef: z.string().optional(),
  /** Issues with this label become goals. Absent: none do by themselves. */
  label: z.string().optional(),
  /** Word that calls the studio in what people write. */
  mention: z.string(),
  remote: z.string(),
  base: z.string(),
  /** Whether results are offered there by themselves. */
  publishes: z.boolean(),
  /** Checks that have to be green there before work lands here; `*` for whatever there are. Absent: none. */
  requiredChecks: z.array(z.string()).optional(),
  /** Where approved work is merged. Absent: here, on the user's own branch. */
  merges: z.enum(MERGES).optional(),
  /** Host that acts for it: the others have no token. */
  hostId: z.string(),
};
const Settings = z.object(settings);
export type ForgeSettings = Readonly<z.infer<typeof Settings>>;

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ForgeConnected'), v: z.literal(1), repositoryId: z.string(), settings: Settings }),
  z.object({ type: z.literal('ForgeDisconnected'), v: z.literal(1), repositoryId: z.string() }),
]);
type ForgeEvent = z.infer<typeof event>;

export interface ForgeConnection extends ForgeSettings {
  readonly repositoryId: string;
  readonly connectedAt: string;
}

export const forge = aggregate<ForgeConnection>()({
  name: 'forge',
  room: 'workgroup',
  event,
  evolve(_state, event: ForgeEvent, { at }): ForgeConnection | undefined {
    if (event.type === 'ForgeDisconnected') return undefined;
    return { repositoryId: event.repositoryId, ...event.settings, connectedAt: at };
  },
  decide: {
    connect: (_state, { repositoryId, settings: wanted }: { repositoryId: string; settings: ForgeSettings }) =>
      [{ type: 'ForgeConnected', v: 1, repositoryId, settings: wanted }] as ForgeEvent[],
    disconnect(state, { repositoryId }: { repositoryId: string }): ForgeEvent[] {
      if (!state) throw refusal('reject.forge_not_connected', `repository ${repositoryId} is connected to no forge`);
      return [{ type: 'ForgeDisconnected', v: 1, repositoryId }];
    },
  },
});
