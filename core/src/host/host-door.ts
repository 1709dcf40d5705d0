/**
 * The embedding API's door: `{ room_id, command }` in, `{ events }` out. [HC1]
 *
 * A command is an object with one key, the variant; when there is no payload, the bare name will do.
 * A submit acts as the operator of the host.
 */
import type { CommandTable } from '../contract/command-table.js';
import type { HostContext } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { isClassed, rejectedBody } from '../wire/rejected.js';
import type { Rooms } from './rooms.js';

export interface HostRequest {
  readonly room_id: string;
  readonly command: string | Readonly<Record<string, unknown>>;
}

export type HostEvent = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface HostReply {
  readonly events: readonly HostEvent[];
}

export interface HostDoor {
  readonly rooms: Rooms;
  readonly table: CommandTable;
  /** What handlers may do in a room. */
  contextOf(tenancy: Tenancy): HostContext;
}

export async function submit({ rooms, table, contextOf }: HostDoor, request: HostRequest): Promise<HostReply> {
  const [variant, payload] = unwrap(request.command);
  const command = table.hostCommands.get(variant);
  if (!command) throw new Rejection('invalid-command', `no host command is called ${JSON.stringify(variant)}`);
  const parsed = command.in.safeParse(payload ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Rejection('invalid-command', `${variant}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
  }
  const { tenancy, release } = await rooms.lease(request.room_id);
  try {
    const answers = await command.handle(contextOf(tenancy), parsed.data);
    return { events: answers.map(({ name, body }) => ({ [name]: { room_id: request.room_id, ...body } })) };
  } catch (error) {
    const { rejected } = command;
    if (!rejected || !(error instanceof Rejection) || !isClassed(error)) throw error;
    const body = rejectedBody(rejected, { room: request.room_id, ...parsed.data }, error);
    return { events: [{ [rejected.name]: { room_id: request.room_id, ...body } }] };
  } finally {
    release();
  }
}

/** Reads a command by hand: whoever calls this may have no compiler. */
function unwrap(command: unknown): [variant: string, payload: unknown] {
  if (typeof command === 'string') return [command, undefined];
  const entries: [string, unknown][] = typeof command === 'object' && command ? Object.entries(command) : [];
  const [entry] = entries;
  if (!entry || entries.length > 1) {
    throw new Rejection('invalid-command', 'a host command is an object with exactly one key, its name');
  }
  return entry;
}
