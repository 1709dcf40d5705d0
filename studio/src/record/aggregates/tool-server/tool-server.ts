/**
 * Tool server: tools that a person has added for agents, with what they were when the person looked at them. Its id is its name. Keys
 * are named here and recorded nowhere.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const tool = z.object({
  name: z.string(),
  description: z.string(),
  /** Schema of its input, as JSON: a schema may hold what no schema of ours describes. */
  inputJson: z.string(),
  /** Digest of everything that the server says of it. */
  digest: z.string(),
});
export type ServerTool = Readonly<z.infer<typeof tool>>;

const settings = {
  /** Program and arguments of one that is started here, without a shell. */
  command: z.array(z.string()).optional(),
  /** Address of one that is reached. */
  url: z.string().optional(),
  /** Whether its program has the network. */
  isOnline: z.boolean(),
  /** Keys by the variables of the program's environment that hold them. */
  keys: z.record(z.string(), z.string()),
  /** Key that is sent as a bearer token. */
  credentialRef: z.string().optional(),
  /** Repository that it is for. Absent: all. */
  repositoryId: z.string().optional(),
  /** Profiles that it is for. Absent: those that change files. */
  profiles: z.array(z.string()).optional(),
  /** Time limit of a call. */
  seconds: z.number(),
  /** Names of the tools that agents are offered. */
  allowed: z.array(z.string()),
  tools: z.array(tool),
};
const Settings = z.object(settings);
export type ToolServerSettings = Readonly<z.infer<typeof Settings>>;

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ToolServerAdded'), v: z.literal(1), name: z.string(), settings: Settings }),
  z.object({ type: z.literal('ToolServerRemoved'), v: z.literal(1), name: z.string() }),
]);
type ToolServerEvent = z.infer<typeof event>;

export interface ToolServer extends ToolServerSettings {
  readonly name: string;
  readonly addedAt: string;
}

export const toolServer = aggregate<ToolServer>()({
  name: 'tool-server',
  room: 'local',
  event,
  evolve(_state, event: ToolServerEvent, { at }): ToolServer | undefined {
    return event.type === 'ToolServerRemoved' ? undefined : { name: event.name, ...event.settings, addedAt: at };
  },
  decide: {
    add: (_state, { name, settings: wanted }: { name: string; settings: ToolServerSettings }) =>
      [{ type: 'ToolServerAdded', v: 1, name, settings: wanted }] as ToolServerEvent[],
    remove(state, { name }: { name: string }): ToolServerEvent[] {
      if (!state) throw refusal('reject.tool_server_not_found', `no tool server is called ${name}`, { name });
      return [{ type: 'ToolServerRemoved', v: 1, name }];
    },
  },
});
