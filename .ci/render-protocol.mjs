// The WebSocket protocol, the host commands and the catalogue of refusals, from the engine's tables.
import { createHash } from 'node:crypto';
import { CLOSE, METRICS, NODE_REASONS, PROTOCOLS, REASONS, commandTable } from '@weft/core';
import { z } from 'zod';

export function renderProtocol() {
  const commands = [...commandTable.commands.values()];
  const notices = Object.values(commandTable.notices);
  return [
    '# The WebSocket protocol',
    '',
    'One connection is one peer in one room: `GET /ws/<room>`. Every frame is a JSON object with a string `type`. A frame may',
    'carry `req_id` (text or number); its replies echo it. The first frame is `hello`.',
    '',
    'Types: `hex` is lower-case hex, `base64` the standard alphabet with padding. With `supports_binary` in force frames are',
    'MessagePack, and what is base64 here is bytes there; nothing else differs. Rules stand in `core/SPEC.md` under their ids:',
    'TK1 and PF1 for `token` and `proof`, PK1 for packs, RC6 for the fields of each step of `reconcile`.',
    '',
    `Protocol ${PROTOCOLS.join(', ')}. Digest of all frame schemas: \`${framesDigest()}\`.`,
    '',
    '# Client to server',
    ...commands.flatMap(renderCommand),
    '',
    '# Server to client, unasked',
    ...notices.flatMap(({ type, when, out }) => ['', `## ${type}`, '', when, '', ...fields(out, 'output')]),
    '',
    '# Close codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.values(CLOSE).map(({ code, meaning }) => `| ${code} | ${meaning} |`),
    '',
  ].join('\n');
}

export function renderHostCommands() {
  return [
    '# Host commands',
    '',
    'The embedding API: `host.submit({ room_id, command })`, where a command is an object with one key (or the bare name when',
    'there is no payload), answers `{ events: [{ <Event>: { room_id, … } }] }`, or rejects: `hostErrorOf` says with which error of the',
    'contract. Each command acts as the operator of the host, but for those of a session.',
    '',
    'What a session hears comes to `onEvent` of the host, as `SessionHeard` with the `frame` of the WebSocket protocol, or',
    '`SessionEnded` with `code` and `reason`.',
    ...[...commandTable.hostCommands.values()].flatMap(({ variant, summary, in: input, out, rejected }) => [
      '',
      `## ${variant}`,
      '',
      summary,
      '',
      ...fields(input, 'input'),
      ...Object.entries(out).flatMap(([name, shape]) => ['', `Answers \`${name}\`:`, '', ...fields(shape, 'output')]),
      ...(rejected ? ['', `Or \`${rejected.name}\`, with \`reason_class\` and \`reason_message\`.`] : []),
    ]),
    '',
  ].join('\n');
}

export function renderErrors() {
  const rows = (reasons) => Object.entries(reasons).map(([name, text]) => `| \`${name}\` | ${text} |`);
  return [
    '# Refusals of the engine',
    '',
    'In an `error` frame the reason is `code`; `msg` says it for people.',
    '',
    '| reason | meaning |',
    '|---|---|',
    ...rows(REASONS),
    '',
    '# Why one node was refused',
    '',
    'In `pack-ack.rejected`.',
    '',
    '| reason | meaning |',
    '|---|---|',
    ...rows(NODE_REASONS),
    '',
  ].join('\n');
}

export function renderMetrics() {
  return [
    '# Metrics',
    '',
    'Prometheus text on the address given with `--metrics-addr`.',
    '',
    '| name | kind | labels | meaning |',
    '|---|---|---|---|',
    ...Object.entries(METRICS).map(
      ([name, { kind, labels = [], help }]) => `| \`weft_${name}\` | ${kind} | ${labels.join(', ')} | ${help} |`,
    ),
    '',
  ].join('\n');
}

/** Changes with any schema, and with nothing else: descriptions may be reworded freely. */
function framesDigest() {
  const commands = [...commandTable.commands.values()].map(({ type, in: input, out }) => {
    const replies = Object.entries(out).map(([name, shape]) => [name, bareSchema(shape, 'output')]);
    return [type, bareSchema(input, 'input'), replies];
  });
  const notices = Object.values(commandTable.notices).map(({ type, out }) => [type, bareSchema(out, 'output')]);
  return createHash('sha256')
    .update(JSON.stringify([commands, notices]))
    .digest('hex');
}

function bareSchema(shape, io) {
  const bare = (value) => {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => key !== 'description' && key !== '$schema');
    return Object.fromEntries(kept.sort().map(([key, inner]) => [key, bare(inner)]));
  };
  return bare(z.toJSONSchema(shape, { io, unrepresentable: 'any' }));
}

function renderCommand({ type, summary, in: input, out, refuses }) {
  return [
    '',
    `## ${type}`,
    '',
    summary,
    '',
    ...fields(input, 'input'),
    ...Object.entries(out).flatMap(([name, shape]) => ['', `Sends \`${name}\`:`, '', ...fields(shape, 'output')]),
    '',
    `Refuses with ${refuses.map((reason) => `\`${reason}\``).join(', ')}.`,
  ];
}

function fields(shape, io) {
  const { properties = {}, required = [] } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  const rows = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `| \`${name}${optional}\` | ${typeOf(schema)} | ${schema.description ?? ''} |`;
  });
  return rows.length === 0 ? ['No fields.'] : ['| field | type | meaning |', '|---|---|---|', ...rows];
}

/** Bytes from a peer: a text, or what JSON has no schema for. */
const isBytes = ([text, bytes]) => text.type === 'string' && Object.keys(bytes).length === 0;

/** Patterns of texts that are hex. */
const HEX = new Set(['^[0-9a-f]*$', '^[0-9a-fA-F]{64}$']);

function typeOf(schema) {
  if (schema.format === 'base64') return 'base64';
  if (schema.type === 'string' && HEX.has(schema.pattern)) return 'hex';
  if (schema.anyOf) return isBytes(schema.anyOf) ? 'base64' : schema.anyOf.map(typeOf).join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties) {
    const { properties, required = [] } = schema;
    const named = Object.entries(properties).map(
      ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`,
    );
    return `{ ${named.join(', ')} }`;
  }
  return schema.type ?? 'any';
}
