/** Requests of a simulated studio: every operation of the table, asked with values that have gone by, and as the web has them. */
import { operationTable } from '../../../studio/src/operations/table.js';
import { inputBinding } from '../../../studio/src/operations/kernel/input-fields.js';
import type { NamedOperation } from '../../../studio/src/operations/kernel/define.js';
import type { Scope } from '../../../studio/src/operations/kernel/caller.js';
import type { Random } from '../../convergence/random.js';
import { type Hints, type Known, Values, schemaOf } from '../values.js';
import { TOKENS } from './process.js';

export interface Wanted {
  readonly operation: NamedOperation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly as: Scope;
  /** Idempotency key. */
  readonly key?: string;
}

/** What an API key of somebody's model begins with: it is in no answer and on no disk. */
export const CANARY = 'canary-key-';

const unit = (random: Random, known: Known): unknown => random.pick([...known.of('workUnitId'), 'wu-none']);
const hints: Hints<Known> = {
  goal: (random) => `goal ${random.below(1000)}`,
  parentWorkUnitId: unit,
  rootWorkUnitId: unit,
  sourceWorkUnitId: unit,
  dependsOn: (random, known) => (random.chance(50) ? [] : [unit(random, known)]),
  profileId: (random) => random.pick(['orchestrator', 'worker']),
  profileIds: () => ['orchestrator', 'worker'],
  expectedOutputKind: () => 'KnowledgeArtifact',
  apiKey: (random) => `${CANARY}${random.below(100)}`,
  credentialRef: (random) => random.pick(['mine', 'yours']),
  maxConcurrentWorkers: (random) => 1 + random.below(4),
  url: () => 'http://127.0.0.1:1/',
  keywords: (random) => random.pick(['goal', 'part', 'rule']),
  idempotencyKey: (random) => `k${random.below(20)}`,
};

const OPERATIONS = operationTable.filter(({ rest, follow }) => rest && !follow);

/** Any operation, asked by anybody. */
export function wanted(random: Random, known: Known, key: () => string): Wanted {
  const operation = random.pick(OPERATIONS);
  const input = new Values(random, known, hints).object(schemaOf(operation.in), operation.id);
  const as = random.pick(['admin', 'admin', 'operate', 'operate', 'read'] as const);
  return { operation, input, as, ...(random.chance(30) ? { key: key() } : {}) };
}

export function named(id: string): NamedOperation {
  const found = operationTable.find((one) => one.id === id);
  if (!found) throw new Error(`no operation is called ${id}`);
  return found;
}

export function requestOf({ operation, input, as, key }: Wanted): Request {
  const { method, path } = operation.rest!;
  const places = inputBinding(operation);
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(textOf(input[name]) || '-'));
  const url = new URL(filled, 'http://localhost');
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (places.path.includes(name)) continue;
    if (method !== 'GET' && !places.query.includes(name)) body[name] = value;
    else for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, textOf(one));
  }
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${TOKENS[as]}`,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
  };
  return new Request(url, { method, headers, ...(method === 'GET' ? {} : { body: JSON.stringify(body) }) });
}

function textOf(value: unknown): string {
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
