// Typed operations of clients, generated from the OpenAPI documents of the built packages: the studio's for @weft/studio-client,
// the words of an operator for the page about rooms; and how the command calls each operation, which reads no operation for it.
//   node .ci/studio-client.mjs            writes the files
//   node .ci/studio-client.mjs --check    fails when one is out of date
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, readIfPresent, root } from './workspace.mjs';

const OPERATIONS = 'client/studio/src/operations.ts';
const WORDS = 'client/face/src/page/rooms/words.ts';
const CALLS = 'cli/src/studio/calls.ts';

/** Text of the operations for an OpenAPI document, formatted as all our files. */
export function renderStudioClient(document) {
  return formatted(OPERATIONS, sourceOf(document));
}

/** Text of the calls that a table of operations comes to. */
export function renderCalls(operations, { callOf, tokensFile }) {
  const rows = operations
    .map((operation) => [operation.id, callOf(operation)])
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const source = [
    '/** Calls of the studio. Generated from its operations by .ci/studio-client.mjs: they themselves take long to be read. */',
    "import type { CommandCall } from '@weft/studio';",
    '/** File of the tokens in a data folder. */',
    `export const TOKENS_FILE = ${JSON.stringify(tokensFile)};`,
    '/** How each operation is called, by its id. */',
    'export const CALLS: Readonly<Record<string, CommandCall>> = {',
    ...rows.map(([id, call]) => `${JSON.stringify(id)}: ${JSON.stringify(call)},`),
    '};\n',
  ].join('\n');
  return formatted(CALLS, source);
}

async function formatted(file, source) {
  const { format } = await import('oxfmt');
  const options = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'));
  const { code, errors } = await format(join(root, file), source, options);
  if (errors.length > 0) throw new Error(`${file} cannot be formatted: ${errors[0].message}`);
  return code;
}

/** Words of an operator by their ids: what is posted to each, and what it answers. */
function wordsOf({ paths }) {
  const words = Object.values(paths)
    .map(({ post }) => post)
    .filter((post) => post?.requestBody !== undefined);
  return [
    '/** Words of an operator. Generated from the OpenAPI document of the administration door by .ci/studio-client.mjs. */',
    '/** Words by their ids: what each takes, and what it answers. */',
    'export interface Words {',
    ...words.map((told) => operationType(told, {})),
    '}\n',
  ].join('\n');
}

function sourceOf({ paths, components }) {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, told]) => ({ path, method, told })))
    .sort((a, b) => (a.told.operationId < b.told.operationId ? -1 : 1));
  const shapes = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '/** Operations of the studio. Generated from its OpenAPI document by .ci/studio-client.mjs. */',
    ...shapes.map(
      ([name, schema]) => `${comment(schema.description)}export type ${shapeName(name)} = ${typeOf(schema)};\n`,
    ),
    '/** Operations by their ids: what each takes, and what it answers. */',
    'export interface Operations {',
    ...operations.map(({ told }) => operationType(told, components)),
    '}\n',
    '/** Route of each operation: method, path, and the fields that go into the query. */',
    'export const ROUTES: { readonly [Id in keyof Operations]: readonly [method: string, path: string, ...query: string[]] } = {',
    ...operations.map(({ path, method, told }) => {
      const query = (told.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
      const row = [method.toUpperCase(), path, ...query].map((text) => JSON.stringify(text));
      return `${JSON.stringify(told.operationId)}: [${row.join(', ')}],`;
    }),
    '};\n',
  ].join('\n');
}

function operationType(told, { parameters }) {
  const fields = new Map();
  for (const given of told.parameters ?? []) {
    const { name, in: place, required, schema } = given.$ref === undefined ? given : parameters[lastOf(given.$ref)];
    if (place !== 'header' && !fields.has(name))
      fields.set(name, `${key(name)}${required ? '' : '?'}: ${optional(schema, required)};`);
  }
  const body = told.requestBody?.content['application/json'].schema;
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    const isRequired = (body.required ?? []).includes(name);
    fields.set(name, `${key(name)}${isRequired ? '' : '?'}: ${optional(schema, isRequired)};`);
  }
  const [answer] = Object.values(told.responses[200].content ?? {});
  const input = fields.size === 0 ? '{}' : `{ ${[...fields.values()].join(' ')} }`;
  return `${comment(told.summary)}${key(told.operationId)}: { readonly input: ${input}; readonly output: ${typeOf(answer?.schema ?? {})} };`;
}

function typeOf(schema) {
  if (schema.$ref !== undefined) return shapeName(lastOf(schema.$ref));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map((one) => `(${typeOf(one)})`).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return `${comment(schema.description)}readonly ${key(name)}${isRequired ? '' : '?'}: ${typeOf(schema)};`;
  });
  if (fields.length === 0) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `{ readonly [key: string]: ${value} }`;
  }
  return `{ ${fields.join('\n')} }`;
}

/** Type of what may be left out: undefined says the same as absence. */
function optional(schema, isRequired) {
  return isRequired ? typeOf(schema) : `${typeOf(schema)} | undefined`;
}

/** `Error` would hide the one of the language. */
function shapeName(name) {
  return name === 'Error' ? 'Refusal' : name;
}

function lastOf(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function key(name) {
  return /^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name);
}

function comment(text) {
  return text === undefined || text === '' ? '' : `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;
}

if (isProgram(import.meta.url)) {
  const { TOKENS_FILE, commandCall, openApiDocument, operationTable } = await import('@weft/studio');
  const { adminOpenApi } = await import('@weft/server');
  const files = [
    [OPERATIONS, await renderStudioClient(openApiDocument(operationTable))],
    [CALLS, await renderCalls(operationTable, { callOf: commandCall, tokensFile: TOKENS_FILE })],
    [WORDS, await formatted(WORDS, wordsOf(adminOpenApi()))],
  ];
  for (const [file, text] of files) {
    if (readIfPresent(join(root, file)) === text) continue;
    if (process.argv.includes('--check')) {
      console.error(`${file} is out of date. Run \`node .ci/studio-client.mjs\`.`);
      process.exitCode = 1;
    } else {
      writeFileSync(join(root, file), text);
      console.log(`Wrote ${file}.`);
    }
  }
}
