/** Watching the rows of a projection's query as the room changes. Rule PJ11. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import { Rejection, forbidden } from '../rejection.js';
import { rejectedShape } from '../wire/rejected.js';
import { Count } from '../wire/scalars.js';

const READING = 'query.read';
const ECHOES = ['projection_id'];

const Named = z.object({
  projection_id: z.string().min(1).max(256).describe('Name of the projection, whose query is watched.'),
});
const Kind = z.enum(['register', 'text', 'list', 'blob']);
const Row = z.object({ k: z.string().describe('The key.'), kind: Kind });

const followedAs = (id: string): string => `projection ${id}`;

export const watchProjection = command({
  type: 'projection.watch',
  summary: 'Be told the rows that the query of a projection finds in the room as it is, and then each change of them.',
  requires: READING,
  in: Named,
  out: {
    'projection.watching': z.object({
      projection_id: z.string(),
      query_spec_id: z.string(),
      version: z.string().describe('Version of the query that the projection was built with.'),
    }),
    'projection.changed': z.object({
      projection_id: z.string(),
      canonical_seq: Count.describe('Nodes of the log, of which the rows are behind the `final` frame.'),
      removed: z.array(Row).describe('Rows to take out, before any is put.'),
      put: z
        .array(
          Row.extend({
            v: z.unknown().describe('The value as JSON; see PJ4.'),
            index: Count.describe('Its place among the rows, where it is put when those before it are.'),
          }),
        )
        .describe('Rows that are new, read otherwise or stand elsewhere, in their order.'),
      final: z.boolean().describe('Whether that is all of the change; otherwise more frames of it follow.'),
    }),
    'projection.watch.ended': z.object({
      projection_id: z.string(),
      msg: z.string().describe('Why nothing more is told, for people.'),
      code: z.string().describe('Why, for programs.'),
    }),
    'projection.watch.rejected': rejectedShape(ECHOES),
  },
  rejected: { name: 'projection.watch.rejected', echoes: ECHOES },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.invalid_payload',
    'reject.projection_not_found',
    'reject.query_backpressure',
  ],
}).run(async ({ tenancy, frame }, { projection_id }) => {
  const watcher = await tenancy.queries.watch(projection_id);
  const { spec: query_spec_id, version } = watcher;
  const ended = ({ message: msg, reason: code }: Rejection) => ({
    frame: frame('projection.watch.ended', { projection_id, msg, code }),
    isLast: true,
  });
  return [
    {
      kind: 'follow',
      name: followedAs(projection_id),
      followed: {
        async next({ queries }, { read, capabilities }) {
          if (!capabilities.has(READING)) return ended(forbidden('projection.watch', READING));
          try {
            const page = await watcher.next(queries, read);
            if (!page) return undefined;
            const removed = page.removed.map(({ key, kind }) => ({ k: key, kind }));
            const put = page.put.map(({ row: { key, kind }, index, value }) => ({ k: key, kind, v: value, index }));
            const change = { projection_id, canonical_seq: page.seq, removed, put, final: page.isFinal };
            return { frame: frame('projection.changed', change) };
          } catch (error) {
            if (error instanceof Rejection) return ended(error);
            throw error;
          }
        },
      },
      reply: frame('projection.watching', { projection_id, query_spec_id, version }),
    },
  ];
});

export const unwatchProjection = command({
  type: 'projection.unwatch',
  summary: 'Be told nothing of a projection any more.',
  in: Named,
  out: { 'projection.unwatched': Named },
  refuses: ['invalid-payload'],
}).run(({ frame }, { projection_id }) => [
  { kind: 'follow', name: followedAs(projection_id), reply: frame('projection.unwatched', { projection_id }) },
]);
