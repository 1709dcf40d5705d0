/** Commands of the embedding API, run for an operator: a refusal, in either of its forms, is one line. */
import { type Host, Rejection } from '@weft/core';
import { OperatorError } from './define.js';

export type Answer = Readonly<Record<string, unknown>>;

export async function asked(host: Host, room: string, variant: string, input: object): Promise<Answer> {
  const { events } = await host.submit({ room_id: room, command: { [variant]: input } }).catch((error: unknown) => {
    throw error instanceof Rejection ? new OperatorError(error.message) : error;
  });
  const [name, body] = Object.entries(events[0] ?? {})[0] ?? ['', {}];
  if (name.endsWith('Rejected')) throw new OperatorError(String(body['reason_message'] ?? body['msg']));
  return body;
}
