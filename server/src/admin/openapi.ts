/** OpenAPI document of the administration door, made from the words. */
import * as z from 'zod';
import { type Word } from '../operator/words/word.js';
import { operatorWords } from '../operator/words/table.js';
import { pathOf } from './words-door.js';

const Refused = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'What is wrong, and what to do.' },
    code: {
      type: 'string',
      enum: [
        'invalid',
        'unauthorized',
        'not-found',
        'method-not-allowed',
        'refused',
        'too-large',
        'unsupported-type',
        'failed',
      ],
    },
  },
  required: ['error', 'code'],
};

const ListedRoom = z.object({
  room: z.string(),
  nodes: z.number(),
  bytes: z.number().describe('Size of its log.'),
  shut: z.string().optional().describe('Why it is quarantined, if it is.'),
});

export function openApi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weft room server: administration',
      version: '1',
      description:
        'What an operator may say to a running server. `weft room …`, `weft session …` and `weft webhook …` say the same.',
    },
    security: [{ token: [] }],
    paths: {
      '/healthz': probe('healthz', 'Whether the process answers.', 'It does.', []),
      '/readyz': probe('readyz', 'Whether peers should be sent here.', 'They should.', ['503']),
      '/v1/rooms': {
        get: {
          operationId: 'room-list',
          summary: 'List the rooms with their sizes, and which of them are shut.',
          responses: answers(z.toJSONSchema(z.object({ rooms: z.array(ListedRoom) }), OUT)),
        },
      },
      ...Object.fromEntries(operatorWords.map((word) => [pathOf(word), { post: operationOf(word) }])),
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Refused },
    },
  };
}

const OUT = { io: 'output', unrepresentable: 'any' } as const;
const IN = { io: 'input', unrepresentable: 'any' } as const;

function operationOf({ noun, verb, summary, in: input, out }: Word): object {
  const isPlaced = noun === 'room';
  const body = z.toJSONSchema(isPlaced ? input.omit({ room: true }) : input, IN);
  const room = { name: 'room', in: 'path', required: true, schema: { type: 'string' }, description: 'Id of the room.' };
  return {
    operationId: `${noun}-${verb}`,
    summary,
    ...(isPlaced ? { parameters: [room] } : {}),
    requestBody: { content: { 'application/json': { schema: plain(body) } } },
    responses: answers(z.toJSONSchema(out, OUT)),
  };
}

function answers(schema: object): object {
  const refused = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
  });
  return {
    '200': { description: 'Done.', content: { 'application/json': { schema: plain(schema) } } },
    '400': refused('A field is missing or has the wrong shape.'),
    '401': refused('The bearer token is missing or another one.'),
    '404': refused('There is no such room.'),
    '409': refused('A rule says no.'),
  };
}

function probe(operationId: string, summary: string, yes: string, no: readonly string[]): object {
  const said = (description: string) => ({
    description,
    content: { 'application/json': { schema: { type: 'object' } } },
  });
  const others = Object.fromEntries(no.map((status) => [status, said('They should not; `why` says why.')]));
  return { get: { operationId, summary, security: [], responses: { '200': said(yes), ...others } } };
}

/** Schema without the address of its dialect, which the document names once. */
function plain(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}
