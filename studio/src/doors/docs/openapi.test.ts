import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operationTable } from '../../operations/table.js';
import { openApiDocument } from './openapi.js';
import { isObject } from '../entry/schemas.js';
import type { JsonValue } from '../entry/schemas.js';

const document = openApiDocument(operationTable);

/** Walks into the document; a missing step is undefined, which no expectation takes. */
function at(...path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path) value = isObject(value) ? value[step] : undefined;
  return value;
}

describe('the OpenAPI document', () => {
  it('is an OpenAPI 3.1 document, as a validator of others sees it', async () => {
    const judge = (whole: JsonValue) => {
      const copy: Record<string, unknown> = JSON.parse(JSON.stringify(whole)); // it changes what it judges
      return new Validator().validate(copy);
    };
    const { valid, errors } = await judge(document);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect((await judge({ ...document, paths: { '/x': { get: { responses: [] } } } })).valid).toBe(false);
  });

  it('names each operation once', () => {
    const ids = Object.values(isObject(document['paths']) ? document['paths'] : {}).flatMap((methods) =>
      Object.values(isObject(methods) ? methods : {}).map((one) => isObject(one) && one['operationId']),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has exactly the routes of the table', () => {
    const { paths } = document;
    const described = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
      Object.keys(isObject(methods) ? methods : {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = operationTable.flatMap(({ rest }) => (rest ? [`${rest.method} ${rest.path}`] : []));
    expect(described.sort()).toEqual(declared.sort());
  });

  it('describes parameters, body and result from the declaration', () => {
    const files = ['paths', '/studio/repositories/{repositoryId}/files', 'get'];
    expect(at(...files, 'operationId')).toBe('repository.listFiles');
    expect(at(...files, 'parameters')).toMatchObject([
      { name: 'repositoryId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'subPath', in: 'query', required: false },
      { name: 'pattern', in: 'query', required: false },
    ]);
    const body = at('paths', '/studio/repositories', 'post', 'requestBody');
    expect(body).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { required: ['path'], additionalProperties: false } } },
    });
    expect(at('paths', '/studio/repositories', 'get', 'requestBody')).toBeUndefined();
  });

  it('says which requests can be repeated, and which can name what they change', () => {
    const named = { $ref: '#/components/parameters/IdempotencyKey' };
    const matched = { $ref: '#/components/parameters/IfMatch' };
    expect(at('paths', '/studio/repositories', 'post', 'parameters')).toEqual([named]);
    expect(at('paths', '/studio/repositories', 'get', 'parameters')).not.toContainEqual(named);
    expect(at('paths', '/studio/workunits/{workUnitId}/cancel', 'post', 'parameters')).toMatchObject([
      ...[{ name: 'workUnitId' }, named, matched],
    ]);
    expect(at('paths', '/studio/workunits/{workUnitId}', 'get', 'responses', '200', 'headers')).toHaveProperty('ETag');
  });

  it('lists every refusal under its status', () => {
    const responses = at('paths', '/studio/repositories', 'post', 'responses');
    expect(Object.keys(isObject(responses) ? responses : {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '409',
      '412',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
      '507',
    ]);
    const pointer = at('paths', '/studio/repositories', 'post', 'responses', '409', '$ref');
    expect(pointer).toBe('#/components/responses/409.repository_registered_elsewhere');
    const conflict = at(...String(pointer).slice(2).split('/'), 'description');
    expect(conflict).toContain('`reject.repository_registered_elsewhere`: ');
    expect(conflict).toContain('`reject.busy`: ');
  });

  it('describes each set of refusals once', () => {
    const { responses } = isObject(document['components']) ? document['components'] : {};
    const described = Object.values(isObject(responses) ? responses : {}).map((one) => JSON.stringify(one));
    expect(new Set(described).size).toBe(described.length);
    const text = JSON.stringify(document['paths']);
    for (const name of Object.keys(isObject(responses) ? responses : {}))
      expect(text).toContain(`"#/components/responses/${name}"`);
    // What every operation may answer is not written into any of them.
    expect(text).not.toContain('reject.unauthenticated');
  });

  it('points only at components that are there', () => {
    const text = JSON.stringify(document);
    const pointers = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1] ?? '');
    expect(pointers).toContain('#/components/schemas/Repository');
    for (const pointer of pointers) expect(at(...pointer.slice(2).split('/')), pointer).toBeDefined();
    expect(text).not.toContain('$defs');
  });
});
