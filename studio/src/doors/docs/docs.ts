/**
 * API reference in Markdown, generated from the operation table, so it describes exactly what is served.
 * Path -> page: `studio.md` says what holds for all operations, and leads to a page for each noun.
 */
import type { NamedOperation } from '../../operations/kernel/define.js';
import { SHOWN_INSTEAD, agentTable } from '../../operations/agent-tools/table.js';
import { inputBinding } from '../../operations/kernel/input-fields.js';
import { STUDIO_REASONS } from '../../reasons.js';
import type { StudioReason } from '../../reasons.js';
import { GENERAL_REASONS, statusOf } from '../entry/errors.js';
import { isObject, jsonSchema } from '../entry/schemas.js';
import type { JsonObject, JsonValue } from '../entry/schemas.js';

export function renderStudioDocs(table: readonly NamedOperation[]): Readonly<Record<string, string>> {
  const nouns = new Map<string, NamedOperation[]>();
  for (const operation of table) nouns.set(nounOf(operation), [...(nouns.get(nounOf(operation)) ?? []), operation]);
  const pages = [...nouns].map(([noun, operations]) => [pageOf(noun), renderNoun(noun, operations)]);
  return { 'studio.md': renderIndex(nouns), ...Object.fromEntries(pages), [OWN_PAGE]: renderOwnTools() };
}

const OWN_PAGE = 'studio/agent-tools.md';

function renderOwnTools(): string {
  const head = [
    '# Tools that only agents have',
    'Agents of this host have these beside the tools of the contract: they are about the own branch of the agent, and answer with text. An ' +
      'agent is not shown the tools of the contract that do the same; by name they answer. A profile names them without a prefix.',
  ];
  const tools = agentTable.map((operation) => {
    const instead = (SHOWN_INSTEAD[operation.tool ?? ''] ?? []).map((name) => `\`svc_v1_${name}\``);
    const lines = instead.length === 0 ? [] : [`Shown in place of ${instead.join(', ')}.`];
    return [
      `## ${operation.tool}`,
      operation.summary,
      ...lines,
      ...fieldTable('Field', jsonSchema(operation.in, 'input')),
    ].join('\n\n');
  });
  return `${[...head, ...tools].join('\n\n')}\n`;
}

function pageOf(noun: string): string {
  return `studio/${noun}.md`;
}

function renderIndex(nouns: ReadonlyMap<string, readonly NamedOperation[]>): string {
  const links = [...nouns].map(([noun, operations]) => {
    const verbs = operations.map(({ id }) => `\`${id.slice(noun.length + 1)}\``);
    return row([`[${noun}](${pageOf(noun)})`, verbs.join(', ')]);
  });
  return [
    '# Studio operations',
    'Generated from the operation table. Input is one flat object: path and query keys come from the URL, the rest from ' +
      'the JSON body; a tool takes the same object as its arguments.',
    'A request that changes something can name itself: by the header `Idempotency-Key` (or `X-Command-Id`), a tool call by ' +
      '`weft/commandId` in its `_meta`. Sent again under that name, by the same token and with the same input, it is given ' +
      'the same answer, and nothing happens twice; with another input it is refused. A request that failed is forgotten.',
    'Where an answer has an `ETag`, a change that sends it as `If-Match` is made only if nothing else was changed meanwhile.',
    [row(['Noun', 'Operations']), row(['---', '---']), ...links].join('\n'),
    `Agents of this host have [tools of their own](${OWN_PAGE}) besides.`,
    `${renderRefusals()}\n`,
  ].join('\n\n');
}

function renderNoun(noun: string, operations: readonly NamedOperation[]): string {
  return `${[`# ${noun}`, ...operations.map(renderOperation)].join('\n\n')}\n`;
}

function renderOperation(operation: NamedOperation): string {
  const { id, rest, tool, external, scope, dispatch, refuses } = operation;
  const doors = [
    rest === undefined ? [] : [`- REST: \`${rest.method} ${rest.path}\``],
    tool === undefined ? [] : [`- Tool: \`svc_v1_${tool}\`${dispatch ? ', also for agents inside this host' : ''}`],
    external === undefined ? [] : [`- External tool: \`svcs_v1_${external.name}\``],
    [`- Scope: \`${scope}\``],
    refuses.length === 0 ? [] : [`- Refuses: ${refuses.map((reason) => `\`${reason}\``).join(', ')}`],
  ].flat();
  const tables = [
    ...fieldTable('Field', jsonSchema(operation.in, 'input'), placesOf(operation)),
    ...fieldTable('Result', jsonSchema(operation.out, 'output')),
    ...(external === undefined || external.out === operation.out
      ? []
      : fieldTable('External result', jsonSchema(external.out, 'output'))),
  ];
  return [`## ${id}`, operation.summary, doors.join('\n'), ...tables].join('\n\n');
}

function fieldTable(title: string, schema: JsonObject, locations?: ReadonlyMap<string, string>): string[] {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  const rows = fieldRows(schema, definitions, '');
  if (rows.length === 0) return [];
  const lines = rows.map(([name, type, meaning]) => {
    const location = locations === undefined ? [] : [locations.get(name.replace(/\?$/, '')) ?? 'body'];
    return row([`\`${name}\``, ...location, type, meaning]);
  });
  const head = locations === undefined ? [title, 'Type', 'Meaning'] : [title, 'In', 'Type', 'Meaning'];
  return [[row(head), row(head.map(() => '---')), ...lines].join('\n')];
}

function fieldRows(schema: JsonObject, definitions: JsonObject, prefix: string): [string, string, string][] {
  const whole = resolve(schema, definitions);
  if (whole.type === 'array' && isObject(whole.items)) return fieldRows(whole.items, definitions, `${prefix}[].`);
  if (!isObject(whole.properties)) return [];
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(whole.properties).flatMap(([key, value]) => {
    if (!isObject(value)) return [];
    const field = resolve(value, definitions);
    const name = `${prefix}${key}`;
    const own: [string, string, string] = [
      `${name}${required.includes(key) ? '' : '?'}`,
      typeOf(field, definitions),
      typeof field.description === 'string' ? field.description : '',
    ];
    const inside =
      field.type === 'array' && isObject(field.items) ? fieldRows(field.items, definitions, `${name}[].`) : [];
    return [own, ...inside, ...(field.type === 'object' ? fieldRows(field, definitions, `${name}.`) : [])];
  });
}

function typeOf(field: JsonObject, definitions: JsonObject): string {
  if (Array.isArray(field.enum)) return field.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(field.type)) return field.type.join(' or ');
  if (Array.isArray(field.anyOf))
    return field.anyOf
      .filter(isObject)
      .map((one) => typeOf(one, definitions))
      .join(' or ');
  if (field.type === 'array' && isObject(field.items))
    return `${typeOf(resolve(field.items, definitions), definitions)}[]`;
  return typeof field.type === 'string' ? field.type : 'any';
}

function resolve(schema: JsonObject, definitions: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  const definition: JsonValue | undefined = definitions[schema.$ref.replace('#/$defs/', '')];
  return isObject(definition) ? { ...definition, ...schema } : schema;
}

function placesOf(operation: NamedOperation): ReadonlyMap<string, string> {
  const { path, query, either } = inputBinding(operation);
  const inPath = path.map((key) => [key, either.includes(key) ? 'path or query' : 'path'] as const);
  return new Map([...inPath, ...query.map((key) => [key, 'query'] as const)]);
}

function renderRefusals(): string {
  const general = GENERAL_REASONS.map((reason) => `\`${reason}\``).join(', ');
  const rows = Object.entries(STUDIO_REASONS).map(([reason, { meaning, recovery }]) =>
    row([`\`${reason}\``, String(statusOf(reason as StudioReason)), meaning, recovery.join(' ')]),
  );
  const head = [row(['Code', 'Status', 'Meaning', 'What to do']), row(['---', '---', '---', '---'])];
  return ['## Refusals', `Any operation may answer ${general}.`, [...head, ...rows].join('\n')].join('\n\n');
}

function nounOf(operation: NamedOperation): string {
  return operation.id.slice(0, operation.id.indexOf('.'));
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
