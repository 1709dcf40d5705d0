/**
 * The OpenAPI 3.1 document of the REST door. Components are shapes with an id, and refusals: each set of reasons under a
 * status stands there once, and the operations that may answer it point there.
 */
import type { NamedOperation } from '../../operations/kernel/define.js';
import { inputBinding } from '../../operations/kernel/input-fields.js';
import { reasonRow } from '../../reasons.js';
import type { StudioReason } from '../../reasons.js';
import { STUDIO_VERSION } from '../../version.js';
import { GENERAL_REASONS, statusOf } from '../entry/errors.js';
import { isObject, jsonSchema, mapValues } from '../entry/schemas.js';
import type { JsonObject, JsonValue } from '../entry/schemas.js';

const errorSchema: JsonObject = {
  type: 'object',
  description: 'Why a request was refused or failed.',
  required: ['error', 'code', 'retryable', 'requestId'],
  properties: {
    error: { type: 'string', description: 'What went wrong, for people.' },
    code: { type: 'string', description: 'What went wrong, for programs: a reason of the catalogue, or "internal".' },
    details: { description: 'Facts of this case; their shape depends on the code.' },
    retryable: { type: 'boolean', description: 'Whether the very same call may succeed later.' },
    recovery: { type: 'array', items: { type: 'string' }, description: 'What the caller can do.' },
    requestId: { type: 'string', description: 'Names this request in the log of the host.' },
  },
};

/** What any request may say besides its input. */
const headers: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Names the request: sent again with the same token and input, it is given the same answer, and nothing happens ' +
      'twice. X-Command-Id is the same.',
    schema: { type: 'string', minLength: 1, maxLength: 256 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The ETag of what is to be changed: 412 when something else stands there by now.',
    schema: { type: 'string' },
  },
};

const etag: JsonObject = {
  ETag: { description: 'Version of what the input names.', schema: { type: 'string' } },
};

export function openApiDocument(table: readonly NamedOperation[]): JsonObject {
  const schemas: JsonObject = { Error: errorSchema };
  const responses: JsonObject = { 500: failure('The host failed unexpectedly.') };
  const paths: Record<string, JsonObject> = {};
  for (const operation of table) {
    if (operation.rest === undefined) continue;
    const path = (paths[operation.rest.path] ??= {});
    path[operation.rest.method.toLowerCase()] = describeOperation(operation, schemas, responses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weft Studio',
      version: STUDIO_VERSION,
      description: 'Orchestration of coding agents on shared state.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas,
      responses,
      parameters: headers,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const IN_PATH = 'Its slashes are %2F here; or "-" stands here, and the query names it, which counts in any case.';

function describeOperation(operation: NamedOperation, schemas: JsonObject, responses: JsonObject): JsonObject {
  const input = hoisted(jsonSchema(operation.in, 'input'), schemas);
  const fields = isObject(input.properties) ? input.properties : {};
  const required = Array.isArray(input.required) ? input.required : [];
  const places = inputBinding(operation);
  const parameter = (key: string, place: 'path' | 'query'): JsonObject => {
    const { description = '', ...schema } = fieldSchema(fields, key);
    return { name: key, in: place, required: place === 'path' || required.includes(key), description, schema };
  };
  const encoded = (key: string): JsonObject => {
    const { description, ...rest } = parameter(key, 'path');
    return { ...rest, description: `${String(description)} ${IN_PATH}` };
  };
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.id.slice(0, operation.id.indexOf('.'))],
    'x-weft-scope': operation.scope,
    parameters: [
      ...places.path.map((key) => (places.either.includes(key) ? encoded(key) : parameter(key, 'path'))),
      ...places.query.map((key) => parameter(key, 'query')),
      ...headersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ...places.either.map((key) => ({ ...parameter(key, 'query'), required: false })),
    ],
    ...(places.body.length === 0 ? {} : { requestBody: describeBody(fields, places.body, required) }),
    responses: { 200: describeResult(operation, schemas), ...describeRefusals(operation, responses) },
  };
}

function headersOf({ hints, version }: NamedOperation): string[] {
  if (hints.readOnly) return [];
  return version === undefined ? ['IdempotencyKey'] : ['IdempotencyKey', 'IfMatch'];
}

function describeBody(fields: JsonObject, keys: readonly string[], required: readonly JsonValue[]): JsonObject {
  const needed = keys.filter((key) => required.includes(key));
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, fieldSchema(fields, key)])),
    required: needed,
    additionalProperties: false,
  };
  return { required: needed.length > 0, content: { 'application/json': { schema } } };
}

function describeResult(operation: NamedOperation, schemas: JsonObject): JsonObject {
  const schema = hoisted(jsonSchema(operation.out, 'output'), schemas);
  const told = operation.version === undefined ? {} : { headers: etag };
  if (operation.follow)
    return {
      description: 'Server-sent events; the data of each is this.',
      content: { 'text/event-stream': { schema } },
    };
  return { description: 'Done.', ...told, content: { 'application/json': { schema } } };
}

/** Status -> pointer to the response with these reasons, which is added to `responses` when nobody has answered it yet. */
function describeRefusals({ refuses }: NamedOperation, responses: JsonObject): JsonObject {
  const byStatus = new Map<number, Set<StudioReason>>();
  for (const reason of [...refuses, ...GENERAL_REASONS]) {
    const status = statusOf(reason);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(reason));
  }
  const pointers = [...byStatus].map(([status, reasons]): [string, JsonObject] => {
    const sorted = [...reasons].sort();
    const name = responseName(status, sorted);
    const lines = sorted.map((reason) => `- \`${reason}\`: ${reasonRow(reason).meaning}`);
    responses[name] ??= failure(lines.join('\n'));
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries([...pointers, ['500', { $ref: '#/components/responses/500' }]]);
}

/** `409` where any operation may answer it, `409.wrong_state` where a reason of some operations is added. */
function responseName(status: number, reasons: readonly StudioReason[]): string {
  const own = reasons.filter((reason) => !isGeneral(reason)).map((reason) => reason.replace('reject.', ''));
  return [String(status), ...own].join('.');
}

function isGeneral(reason: StudioReason): boolean {
  return GENERAL_REASONS.some((general) => general === reason);
}

function failure(description: string): JsonObject {
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
}

function fieldSchema(fields: JsonObject, key: string): JsonObject {
  const field = fields[key];
  return isObject(field) ? field : {};
}

/** Moves the definitions of one schema to the document's components, and points there. */
function hoisted(schema: JsonObject, schemas: JsonObject): JsonObject {
  const repoint = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(repoint);
    if (!isObject(value)) return value;
    return mapValues(value, (item, key) =>
      key === '$ref' && typeof item === 'string' ? item.replace('#/$defs/', '#/components/schemas/') : repoint(item),
    );
  };
  const { $defs, ...rest } = schema;
  for (const [name, definition] of Object.entries(isObject($defs) ? $defs : {})) schemas[name] = repoint(definition);
  const moved = repoint(rest);
  return isObject(moved) ? moved : {};
}
