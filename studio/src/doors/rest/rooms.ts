/**
 * Words about rooms for the page: those of the room server in the same process, for people who may administer the studio. Rooms hold
 * all that anybody wrote, so reading them takes as much as changing them.
 */
import type { Hono } from 'hono';
import { reaches } from '../../operations/kernel/caller.js';
import { refusal } from '../../reasons.js';
import { REST_BODY, bodyOf } from '../entry/body.js';
import type { Admitted } from './rest.js';

/** Says a word of an operator, by method and path. */
export type RoomsDoor = (request: {
  readonly method: string;
  readonly path: string;
  readonly fields: object;
  readonly signal: AbortSignal;
}) => Promise<{ readonly status: number; readonly body: unknown }>;

export function addRoomRoutes(app: Hono<Admitted>, rooms: RoomsDoor): void {
  app.on(['GET', 'POST'], '/v1/*', async (http) => {
    const { kind, scope: held } = http.get('caller');
    if (kind === 'agent') throw refusal('reject.human_only', 'rooms are administered by people');
    if (!reaches(held, 'admin'))
      throw refusal('reject.scope_missing', 'rooms need a link of scope admin: weft open --scope admin', {
        needed: 'admin',
        held,
      });
    const { raw, method } = http.req;
    const body = method === 'POST' ? await bodyOf(raw, http.env.incoming, REST_BODY) : {};
    const fields = typeof body === 'object' && body !== null ? body : {};
    // Path as it was sent: an id in it may be encoded.
    const { pathname } = new URL(raw.url);
    const answer = await rooms({ method, path: pathname, fields, signal: raw.signal });
    return Response.json(answer.body, { status: answer.status, headers: { 'cache-control': 'no-store' } });
  });
}
