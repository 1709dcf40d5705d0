/** Generated calls: what holds of every operation of the table, whatever it is asked. A new operation is asked too. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GENERAL_REASONS } from '../../doors/entry/errors.js';
import { toolInputSchema } from '../../doors/entry/schemas.js';
import { type BoundTool, boundTools, callTool } from '../../doors/tools/tools.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { operationTable } from '../../operations/table.js';
import { type KnownValues, allowed, broken } from '../json-arbitrary.js';
import { canBeRoute, requestFor, restRequest } from './rest-request.js';
import { openTestFront } from './test-front.js';
import { openTestLedger } from '../record/test-ledger.js';

const admin = { name: 'admin', kind: 'person', scope: 'admin', internal: true } as const;
type Opened = Awaited<ReturnType<typeof openTestFront>>;

/** Kinds of things of which some are recorded in the end. */
const ENOUGH = 23;
/** Rounds in which all are asked again until that is so; chance has had its say long before the last. */
const MOST_ROUNDS = 100;

/** Inputs of each operation whose texts all hold a NUL. */
const NULS = 2;

/** Asks each operation so often. */
export function askEveryOperation(runs: number): void {
  describe('every operation', () => {
    const visits = new Map<string, number>();
    const closers: (() => Promise<void>)[] = [];
    let opened: Opened;
    let known: KnownValues;

    // One studio for all: what one operation leaves behind is what the next one finds.
    beforeAll(async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'weft-every-')));
      closers.push(() => rm(folder, { recursive: true, force: true }));
      opened = await openTestFront((close) => closers.push(close));
      const ask = async (body: object) =>
        (await opened.front.fetch(requestFor('POST', '/studio/workunits', JSON.stringify(body)))).json();
      const { workUnitId } = (await ask({ goal: 'known' })) as { workUnitId: string };
      await ask({ goal: 'part', parentWorkUnitId: workUnitId });
      // What would reach the disk, the network or a shell is given something harmless.
      known = {
        path: [join(folder, 'one'), join(folder, 'two'), 'relative', folder, '/'],
        repositoryPath: [folder],
        buildCommand: ['true'],
        testCommand: ['true'],
        lintCommand: ['true'],
        runCommand: ['true'],
        url: ['http://127.0.0.1:1/', 'http://10.0.0.1/', 'x'],
        command: ['true'],
        args: [[]],
        workUnitId: [workUnitId, 'wu-none'],
        goalId: [workUnitId, 'none'],
        parentWorkUnitId: [workUnitId],
      };
    });
    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    });

    const tools = [...boundTools(operationTable, 'internal'), ...boundTools(operationTable, 'external')];

    /** Answers by how many doors it could be asked. */
    const askByEveryDoor = async (operation: NamedOperation, input: Record<string, unknown>): Promise<number> => {
      const own = tools.filter((tool) => tool.operation.id === operation.id);
      const isRoute = canBeRoute(operation, input);
      if (isRoute) await askRest(opened, operation, input);
      for (const tool of own) await askTool(opened, tool, input);
      return own.length + (isRoute ? 1 : 0);
    };

    it.each(operationTable.map((operation) => [operation.id, operation] as const))(
      '%s answers or refuses whatever it is asked, and says only what it declares',
      async (id, operation) => {
        const schema = toolInputSchema(operation);
        const values = withIds(known, opened.records);
        const inputs = fc.oneof(allowed(schema, values), broken(schema, values)) as fc.Arbitrary<
          Record<string, unknown>
        >;
        await fc.assert(
          fc.asyncProperty(inputs, async (input) => {
            const times = await askByEveryDoor(operation, input);
            fc.pre(times > 0);
            visits.set(id, (visits.get(id) ?? 0) + times);
          }),
          { numRuns: runs },
        );
        // Nothing below takes a NUL in a path, an argument or a name: it is refused, or kept as a part of a text.
        const all = allowed(schema, known) as fc.Arbitrary<Record<string, unknown>>;
        for (const input of fc.sample(all, NULS)) await askByEveryDoor(operation, withNul(input));
        // A refusal that is not declared, and any defect, is logged as an error.
        expect(opened.log.splice(0).filter(({ level }) => level === 'error')).toEqual([]);
      },
    );

    it('was asked, none left out', () => {
      for (const { id } of operationTable) expect(visits.get(id), id).toBeGreaterThanOrEqual(runs);
    });

    it('has recorded things of many kinds, if it is asked on', async () => {
      for (let round = 0; kindsRecorded(opened.records).length < ENOUGH && round < MOST_ROUNDS; round++) {
        for (const operation of operationTable) {
          const values = withIds(known, opened.records);
          const inputs = allowed(toolInputSchema(operation), values) as fc.Arbitrary<Record<string, unknown>>;
          for (const input of fc.sample(inputs, 3)) await askByEveryDoor(operation, input);
        }
      }
      expect(kindsRecorded(opened.records).length).toBeGreaterThanOrEqual(ENOUGH);
      expect(opened.log.splice(0).filter(({ level }) => level === 'error')).toEqual([]);
    });

    it('has recorded what is the same when it is read from the log again', async () => {
      await opened.ledger.settled();
      const { records } = await openTestLedger(opened.host, {}, (close) => void closers.push(close));
      expect(kindsRecorded(records)).toEqual(kindsRecorded(opened.records));
      for (const name of namesOf(records)) expect(records[name].all(), name).toEqual(opened.records[name].all());
    });
  });
}

/** Also ids of what is recorded by now, the newest few of each name: what one operation has made, others are asked about. */
function withIds(known: KnownValues, records: Opened['records']): KnownValues {
  const ids = new Map<string, unknown[]>();
  for (const name of namesOf(records))
    for (const thing of records[name].all())
      for (const [field, value] of Object.entries(thing))
        if (field.endsWith('Id') && typeof value === 'string')
          ids.set(field, [value, ...(ids.get(field) ?? [])].slice(0, 3));
  for (const [field, values] of Object.entries(known)) ids.set(field, [...values, ...(ids.get(field) ?? [])]);
  return Object.fromEntries(ids);
}

function withNul(input: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(input), (_key, value: unknown) =>
    typeof value === 'string' ? `${value}\0` : value,
  ) as Record<string, unknown>;
}

function namesOf<Named extends object>(named: Named): (keyof Named)[] {
  return Object.keys(named) as (keyof Named)[];
}

function kindsRecorded(records: Opened['records']): (keyof Opened['records'])[] {
  return namesOf(records).filter((name) => records[name].all().length > 0);
}

function expectRefusal(operation: NamedOperation, envelope: Record<string, unknown>): void {
  const declared: readonly string[] = [...operation.refuses, ...GENERAL_REASONS, 'reject.route_not_found'];
  expect(declared).toContain(envelope['code']);
  expect(envelope).toMatchObject({
    requestId: expect.stringMatching(/^req-/) as string,
    retryable: expect.any(Boolean) as boolean,
    recovery: expect.any(Array) as string[],
  });
}

async function askRest(
  { front }: Opened,
  operation: NamedOperation,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  // What goes on answering is written here.
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
  const answer = await front.fetch(restRequest(operation, input), { outgoing });
  expect(answer.status).toBeLessThan(500);
  if (operation.follow && answer.status === 200) return void outgoing.destroy();
  const json = (await answer.json()) as Record<string, unknown>;
  if (answer.status !== 200) {
    expect(json['error']).toEqual(expect.any(String));
    expectRefusal(operation, json);
  } else expect(operation.out.safeParse(json).error).toBeUndefined();
}

async function askTool({ shared }: Opened, tool: BoundTool, input: Readonly<Record<string, unknown>>): Promise<void> {
  const { operation } = tool;
  const { content, isError } = await callTool(tool, input, { caller: admin, requestId: 'req-1' }, shared);
  const [first] = content;
  const envelope = JSON.parse(first?.type === 'text' ? first.text : '') as Record<string, unknown>;
  if (isError === true) return expectRefusal(operation, envelope);
  const out = tool.name.startsWith('svcs_') ? operation.external!.out : operation.out;
  expect(out.safeParse(envelope['data']).error).toBeUndefined();
}
