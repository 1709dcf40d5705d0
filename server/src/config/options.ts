/**
 * Table of the room server's options, each with its name, the values it takes, its default and what it does. Flags, variables,
 * the file of `--config`, their errors and their page are made from this table.
 */
import { LIMITS, type Limits, REQUIREMENTS } from '@weft/core';
import * as z from 'zod';
import { parseAddress } from '../address.js';
import { parseTracesUrl } from '../tracing/traces-url.js';
import { parseS3Location } from '../s3/location.js';
import { LEVELS } from '../log.js';
import { checkDatabase, checkStore } from './store-place.js';
import { networkOf } from '../transports/entry-request.js';
import { SILENT_MS } from '../transports/transport.js';

/** Notation of a value where there is only text: on the command line and in the environment. */
export type Writing = 'text' | 'number' | 'list';

export interface Option<Schema extends z.ZodType = z.ZodType> {
  /** Placeholder for the value in help: `host:port`. */
  readonly value: string;
  readonly about: string;
  /** Schema of the value as a file holds it; what it makes of `undefined` is the default. */
  readonly schema: Schema;
  readonly writing: Writing;
  /** Marks a secret: never shown, and never a flag, since others can read the command lines of this machine. */
  readonly secret?: true;
}

type Details = Partial<Pick<Option, 'writing' | 'secret'>>;

function option<Schema extends z.ZodType>(value: string, about: string, schema: Schema, details?: Details) {
  return { value, about, schema, writing: 'text', ...details } as const satisfies Option<Schema>;
}

const NonEmpty = z.string().min(1, 'is empty');

/** Schema step around a parser: what the parser throws is a refusal of the schema. */
const mustParse = (parse: (text: string) => unknown) => (text: string, context: z.RefinementCtx) => {
  try {
    parse(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
};

const Address = NonEmpty.superRefine(mustParse(parseAddress));

const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  const isOne = (found: number): boolean => Number.isSafeInteger(found) && found >= least && found <= most;
  return z.number().refine(isOne, `must be a whole number from ${least}${upTo}`);
};

const oneOf = <const Names extends readonly [string, ...string[]]>(...names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

const LIMIT_MEANINGS: Readonly<Record<keyof Limits, string>> = {
  frameBytes: 'Longest frame.',
  inboxBytes: 'What a connection may have sent that is not yet processed.',
  hostInboxBytes: 'The same of all connections together.',
  roomParkedBytes: 'What came too early and waits, of all connections of a room.',
  hostParkedBytes: 'The same of all rooms.',
  hostRoomsBytes: 'Rooms in memory, about; beyond, rooms at rest leave it, and nobody enters one that is not there.',
  hostConnections: 'Connections of peers at a time.',
  addressConnections: 'The same from one address, or one network of IPv6. Behind a proxy, name it with --trust-proxy.',
  keyConnections: 'The same of one key that was proved.',
  addressRooms: 'Rooms that one address is in at a time.',
  keyRooms: 'The same of one person, or of a key that was proved.',
  addressRoomsBegun: 'Rooms that one address may begin within an hour.',
  keyRoomsBegun: 'The same of one person, or of a key that was proved.',
  roomBlobBytes: 'Bytes of the blobs of one room.',
  keyBlobBytes: 'Bytes of all blobs that one person, or a key that was proved, has brought.',
  hostBlobBytes: 'Bytes of all blobs of the server.',
  joins: 'Hellos that are worked on at once.',
  joinsWaiting: 'Hellos that wait for that, in order; who comes on top is told when to come back.',
  diskFreeBytes: 'What must be free on the disk of the data folder; below, the server is read-only.',
  roomBytes: 'Values of one room, with what was overwritten lately; with all that were, 2,000 MiB.',
  historyBytes:
    'Size of the values of one room at which the server gives up by itself what was overwritten, if that is a quarter of them; 0 never.',
  historyMs:
    'Milliseconds for which what was overwritten is kept; some time after, the server gives it up by itself. 0 for good.',
  outboxBytes: 'What may wait to be sent to a connection, nodes not counted.',
  nodesPerSecond: 'Nodes that a connection may push in a second, on average.',
  nodesBurst: 'And how many at once.',
  bytesPerSecond: 'Bytes that a connection may push in a second, on average.',
  bytesBurst: 'And how many at once.',
  framesPerSecond: 'Frames other than packs that a connection may send in a second.',
  presenceBytes: 'Values of presence in one room.',
  helloMs: 'Milliseconds from connecting to a valid hello.',
  stalledMs: 'Milliseconds for which a socket may take nothing while more waits.',
  behindMs: 'Milliseconds for which a peer may lag behind the log.',
  idleMs: 'Milliseconds for which a room stays in memory in which nothing happens.',
  tombstoneMs: 'Milliseconds for which nobody may begin a room under the name of one that was deleted; 0 for good.',
};

/** Beyond that, positions of values could not be told from each other. */
const MOST: Partial<Limits> = { roomBytes: LIMITS.roomBytes };
/** Where nothing at all means something. */
const LEAST: Partial<Limits> = { tombstoneMs: 0, historyBytes: 0, historyMs: 0 };

const OPTIONS = {
  listen: option(
    'host:port',
    'Address of the room server; port 0 takes a free one.',
    Address.default('127.0.0.1:7878'),
  ),
  store: option(
    'folder|postgres://…|memory',
    'Data folder, a PostgreSQL database as postgres://user@host:5432/name (its password in PGPASSWORD), or `memory` to keep nothing.',
    NonEmpty.superRefine(mustParse(checkStore)).default('./weft-data'),
  ),
  transport: option(
    'name',
    'WebSocket implementation; `auto` takes uWebSockets.js where it runs. One of auto, uws, ws.',
    oneOf('auto', 'uws', 'ws').default('auto'),
  ),
  threads: option(
    'number',
    'Threads that rooms are spread over, each with a host of its own; sockets and store have one beside them. With 1, all is in one thread.',
    wholeNumber(1, 64).default(1),
    { writing: 'number' },
  ),
  'cluster-addr': option(
    'host:port',
    'Address at which other processes on the same database reach this one: with it, several serve the database together. A private network.',
    Address.optional(),
  ),
  bus: option(
    'nats://…',
    'NATS over which processes on the same database reach each other, in place of --cluster-addr: nats://user@host:4222, or tls:.',
    NonEmpty.regex(
      /^(nats|tls):\/\/([^/@:\s]+@)?[^/@\s]+$/,
      'must be an address such as nats://user@host:4222; its password is for WEFT_BUS_PASSWORD',
    ).optional(),
  ),
  'bus-password': option('text', 'Password of that user.', NonEmpty.optional(), { secret: true }),
  'public-host': option(
    'a,b:port',
    'Names under which peers dial this server, with commas between them; the address itself and localhost without.',
    z.array(NonEmpty).min(1, 'is empty').optional(),
    { writing: 'list' },
  ),
  require: option(
    'what',
    'What a peer must show to enter any room: nothing, a proof of its key, or a token too. One of open, key, token; token with --jwt-issuer and open otherwise.',
    oneOf(...REQUIREMENTS).optional(),
  ),
  'auth-webhook': option(
    'https://…',
    'Address that is asked who may enter, of every peer without a token of our own keys; it is signed with WEFT_AUTH_WEBHOOK_SECRET. Nobody enters while it does not answer.',
    NonEmpty.optional(),
  ),
  'auth-webhook-secret': option('text', 'Secret that these questions are signed with.', NonEmpty.optional(), {
    secret: true,
  }),
  'auth-webhook-headers': option(
    'name,…',
    "Headers of the peer's request that it is told, with commas between them; authorization, cookie and origin without.",
    z.array(NonEmpty).min(1, 'is empty').optional(),
    { writing: 'list' },
  ),
  'auth-timeout-ms': option(
    'number',
    'Milliseconds within which it must be decided who a peer is.',
    wholeNumber(1, 60_000).default(5000),
    { writing: 'number' },
  ),
  'auth-cache-ms': option(
    'number',
    'Milliseconds for which an answer of the webhook is kept at most, for the same question; 0 for not at all.',
    wholeNumber(0, 3_600_000).default(30_000),
    { writing: 'number' },
  ),
  'jwt-issuer': option(
    'https://…',
    'Identity provider whose tokens (JWT) let peers in; its keys are found by OpenID discovery.',
    NonEmpty.optional(),
  ),
  'jwks-url': option('https://…', 'Where that provider publishes its keys, if not by discovery.', NonEmpty.optional()),
  'jwt-audience': option(
    'name,…',
    'Audiences of which a token must name one, with commas between them.',
    z.array(NonEmpty).min(1, 'is empty').optional(),
    { writing: 'list' },
  ),
  'jwt-rights': option(
    'file',
    'JSON file that says which claims give which rights in which rooms.',
    NonEmpty.optional(),
  ),
  'create-rooms': option(
    'pattern,…',
    'Ids of rooms that whoever enters may begin, with commas between patterns; others take `room.create`. `-` for none; all without.',
    z.array(NonEmpty).min(1, 'is empty').optional(),
    { writing: 'list' },
  ),
  'allow-origin': option(
    'https://…,…',
    'Origins of web pages that may connect beside those of the names above, with commas between them; `*` for all.',
    z
      .array(
        NonEmpty.regex(
          /^(\*|null|https?:\/\/[^/\s]+)$/i,
          'must be an origin such as https://app.example, without a path; null; or *',
        ),
      )
      .min(1, 'is empty')
      .optional(),
    { writing: 'list' },
  ),
  'trust-proxy': option(
    'ip,…',
    'Addresses of proxies before this server, or networks such as 10.42.0.0/16 in which each is one, with commas between them: of what they bring, the caller is who their X-Forwarded-For says.',
    z
      .array(
        NonEmpty.refine(
          (named) => networkOf(named) !== undefined,
          'must be an IP address, or a network as 10.42.0.0/16',
        ),
      )
      .min(1, 'is empty')
      .optional(),
    { writing: 'list' },
  ),
  yjs: option(
    'on|off',
    'Whether clients of Yjs may join at /yjs/<room>. Needs the package yjs beside this one.',
    oneOf('on', 'off').default('off'),
  ),
  'tls-cert': option(
    'file',
    'PEM with the certificate and its chain: peers and blobs are served by TLS alone.',
    NonEmpty.optional(),
  ),
  'tls-key': option('file', 'PEM with its private key.', NonEmpty.optional()),
  authority: option(
    'file',
    'File with what roots say of the keys of this server, as weft authority certify writes it; without it one key of the store is the root of its rooms.',
    NonEmpty.optional(),
  ),
  'signer-key': option(
    'file,file',
    'Files with the keys that this process signs with where there is an authority; `signer.key` and those after it in the data folder without.',
    z.array(NonEmpty).min(1, 'is empty').optional(),
    { writing: 'list' },
  ),
  'admin-key': option('file', 'File with the admin key; `admin.key` in the data folder without.', NonEmpty.optional()),
  'metrics-addr': option(
    'host:port',
    'Address for GET /metrics (Prometheus text); none without it.',
    Address.optional(),
  ),
  traces: option(
    'http://…',
    'Collector of OpenTelemetry that traces are sent to (OTLP over HTTP), as http://127.0.0.1:4318; OTEL_EXPORTER_OTLP_ENDPOINT without, and none without that.',
    NonEmpty.superRefine(mustParse(parseTracesUrl)).optional(),
  ),
  'admin-addr': option(
    'host:port',
    'Address for administration over HTTP, by the token in `admin.token` of the data folder; none without it.',
    Address.optional(),
  ),
  'admin-token': option(
    'text',
    'That token, in place of the one in the file.',
    NonEmpty.regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 characters, none of which is a space').optional(),
    {
      secret: true,
    },
  ),
  'blob-addr': option(
    'ip:port',
    'Address where peers move blobs by signed links; none without it.',
    Address.optional(),
  ),
  'archive-root': option('folder', 'Folder for archives, `file://<path in it>`; none without it.', NonEmpty.optional()),
  'archive-store': option(
    's3://…',
    'Bucket for archives, `object://<bucket>/<key>`: s3://bucket/prefix?endpoint=https://…&region=…; none without it.',
    NonEmpty.superRefine(mustParse(parseS3Location)).optional(),
  ),
  'archive-access-key': option('key', 'The access key of that bucket.', NonEmpty.optional()),
  'archive-secret-key': option('key', 'Its secret key.', NonEmpty.optional(), { secret: true }),
  'archive-trust': option(
    'hex,hex',
    'Public keys of servers whose archives are taken beside our own, with commas between them.',
    z
      .array(
        z
          .string()
          .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex characters')
          .toLowerCase(),
      )
      .min(1, 'is empty')
      .optional(),
    { writing: 'list' },
  ),
  'silent-ms': option(
    'number',
    'Milliseconds without a sign of life after which a connection is cut; it is pinged before. 8000 to 960000; less than what proxies allow.',
    wholeNumber(8000, 960_000).default(SILENT_MS),
    { writing: 'number' },
  ),
  'drain-ms': option(
    'number',
    'Milliseconds that peers get, when the server stops, for the answers to what they have sent.',
    wholeNumber(0).default(10_000),
    { writing: 'number' },
  ),
  'drain-over-ms': option(
    'number',
    'Milliseconds of these over which peers are sent away, in waves; 0 for all at once. Less than --drain-ms.',
    wholeNumber(0).default(0),
    { writing: 'number' },
  ),
  'blob-store': option(
    'folder|s3://…',
    'Where the bytes of blobs are: the data folder, or s3://bucket/prefix?endpoint=https://…&region=….',
    z.union([z.literal('folder'), NonEmpty.superRefine(mustParse(parseS3Location))]).default('folder'),
  ),
  'blob-access-key': option('key', 'The access key of that bucket.', NonEmpty.optional()),
  'blob-secret-key': option('key', 'Its secret key.', NonEmpty.optional(), { secret: true }),
  'read-replica': option(
    'postgres://…',
    'Standby of the database, from which joins and histories are read as far as it follows; none without it.',
    NonEmpty.superRefine(mustParse(checkDatabase)).optional(),
  ),
  'cold-store': option(
    's3://…',
    'Bucket for segments and images of rooms in a database that have not changed for long: s3://bucket/prefix?endpoint=https://…&region=…; none without it.',
    NonEmpty.superRefine(mustParse(parseS3Location)).optional(),
  ),
  'cold-access-key': option('key', 'The access key of that bucket.', NonEmpty.optional()),
  'cold-secret-key': option('key', 'Its secret key.', NonEmpty.optional(), { secret: true }),
  'cold-after-days': option('number', 'Days after which they go there.', wholeNumber(0, 36_500).default(7), {
    writing: 'number',
  }),
  'log-level': option(
    'level',
    'The least that is written to stderr: debug, info, warn or error.',
    oneOf(...LEVELS).default('info'),
  ),
  'log-format': option(
    'format',
    'Lines of JSON or for people; `auto` writes for people at a terminal. One of auto, json, text.',
    oneOf('auto', 'json', 'text').default('auto'),
  ),
  'blob-url': option('url', 'How peers reach that address, behind a proxy.', NonEmpty.optional()),
} as const;

/** Options of the limits, each under the name of its limit. */
const LIMIT_OPTIONS = new Map<string, { readonly limit: keyof Limits; readonly option: Option }>(
  (Object.keys(LIMIT_MEANINGS) as (keyof Limits)[]).map((limit) => {
    const name = `limit-${limit.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
    const schema = wholeNumber(LEAST[limit] ?? 1, MOST[limit]).default(LIMITS[limit]);
    return [name, { limit, option: option('number', LIMIT_MEANINGS[limit], schema, { writing: 'number' }) }];
  }),
);

/** Value of each option: as the operator has set it, or its default. */
export type Config = { readonly [Name in keyof typeof OPTIONS]: z.output<(typeof OPTIONS)[Name]['schema']> } & {
  readonly limits: Limits;
};

/** All options, for code that knows none by name. */
export const optionTable: ReadonlyMap<string, Option> = new Map([
  ...Object.entries<Option>(OPTIONS),
  ...[...LIMIT_OPTIONS].map(([name, { option }]) => [name, option] as const),
]);

/** Configuration from values that the schemas of the table have made. */
export function configOf(values: ReadonlyMap<string, unknown>): Config {
  const limits = Object.fromEntries([...LIMIT_OPTIONS].map(([name, { limit }]) => [limit, values.get(name)]));
  const others = Object.keys(OPTIONS).map((name) => [name, values.get(name)]);
  return { ...Object.fromEntries(others), limits } as Config;
}

/** Environment variable of an option. */
export function variableOf(name: string): string {
  return `WEFT_${name.toUpperCase().replaceAll('-', '_')}`;
}

export function defaultOf({ schema }: Option): unknown {
  return schema.safeParse(undefined).data;
}
