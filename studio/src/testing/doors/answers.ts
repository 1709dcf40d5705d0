/** Calls that are meant to succeed: each answer is held against the schemas that callers are shown. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'vitest';
import { z } from 'zod';
import { follow } from '../../doors/entry/call.js';
import { jsonSchema } from '../../doors/entry/schemas.js';
import { type BoundTool, boundTools, callTool } from '../../doors/tools/tools.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { operationTable } from '../../operations/table.js';
import { restRequest } from './rest-request.js';
import type { openTestFront } from './test-front.js';

type Opened = Awaited<ReturnType<typeof openTestFront>>;
type Ids = Readonly<Record<string, string>>;

const admin = { name: 'admin', kind: 'person', scope: 'admin', internal: true } as const;
const internal = boundTools(operationTable, 'internal');
const external = boundTools(operationTable, 'external');

export class Answers {
  /** Ids of operations, and names of tools for callers outside, that have answered. */
  readonly given = new Set<string>();
  readonly #opened: Opened;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Over its route where it has one, else over its tool; what only reads, over both. */
  async of<Result = Ids>(id: string, input: object = {}): Promise<Result> {
    const operation = operationOf(id);
    const tool = internal.find((one) => one.operation === operation);
    const outside = external.find((one) => one.operation === operation);
    const ways = [
      ...(operation.rest ? [() => this.#overRest(operation, input)] : []),
      ...[tool, outside].flatMap((one) => (one ? [() => this.#overTool(one, input)] : [])),
    ];
    const shown: unknown[] = [];
    for (const way of operation.hints.readOnly ? ways : ways.slice(0, 1)) shown.push(await way());
    this.given.add(id);
    return shown[0] as Result;
  }

  /** Over a tool for callers outside, which may show less. */
  async outside<Result = Ids>(name: string, input: object = {}): Promise<Result> {
    const tool = external.find((one) => one.name === `svcs_v1_${name}`);
    if (!tool) throw new Error(`no tool for callers outside is called ${name}`);
    return (await this.#overTool(tool, input)) as Result;
  }

  /** What a call over its route is refused for. */
  async refused(id: string, input: object): Promise<unknown> {
    const answer = await this.#opened.front.fetch(restRequest(operationOf(id), { ...input }));
    return ((await answer.json()) as { code?: unknown }).code;
  }

  async #overRest(operation: NamedOperation, input: object): Promise<unknown> {
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    const answer = await this.#opened.front.fetch(restRequest(operation, { ...input }), { outgoing });
    if (operation.follow) {
      outgoing.destroy();
      return this.#followed(operation, input, answer.status);
    }
    const text = await answer.text();
    expect([answer.status, text], operation.id).toEqual([200, text]);
    const json: unknown = JSON.parse(text);
    expectShown(operation.id, operation.out, json);
    return json;
  }

  /** What goes on answering has answered with each of its events. */
  async #followed(operation: NamedOperation, input: object, status: number): Promise<unknown> {
    expect(status, operation.id).toBe(200);
    const { ledger } = this.#opened;
    const { after, isWanted, show } = await follow(this.#opened.shared, operation, {
      caller: admin,
      about: {},
      bind: () => ({ ...input }),
    });
    const shown = ledger.feed.after(after).filter(isWanted).map(show);
    expect(shown.length, operation.id).toBeGreaterThan(0);
    for (const event of shown) expectShown(operation.id, operation.out, event);
    return shown;
  }

  async #overTool(tool: BoundTool, input: object): Promise<unknown> {
    const by = { caller: admin, requestId: 'req-1' };
    const { content, isError } = await callTool(tool, { ...input }, by, this.#opened.shared);
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    expect([isError ?? false, text], tool.name).toEqual([false, text]);
    const envelope = JSON.parse(text) as { data: unknown };
    const isOutside = external.includes(tool);
    expectShown(tool.name, isOutside ? tool.operation.external!.out : tool.operation.out, envelope.data);
    expect(published(tool.outputSchema).safeParse(envelope).error, tool.name).toBeUndefined();
    if (isOutside) this.given.add(tool.name);
    return envelope.data;
  }
}

function operationOf(id: string): NamedOperation {
  const operation = operationTable.find((one) => one.id === id);
  if (!operation) throw new Error(`no operation is called ${id}`);
  return operation;
}

/** Neither less nor more than the schema names, for us and for whoever reads the schema that is published. */
function expectShown(what: string, schema: z.ZodType, shown: unknown): void {
  const json: unknown = JSON.parse(JSON.stringify(shown));
  const parsed = schema.safeParse(json);
  expect(parsed.error, what).toBeUndefined();
  expect(parsed.data, what).toEqual(json);
  expect(publishedOf(schema).safeParse(json).error, what).toBeUndefined();
}

/** Validators: each costs more to make than to use. By the published schema, and by the declared one that it is made from. */
const validators = new WeakMap<object, z.ZodType>();

function published(schema: Parameters<typeof z.fromJSONSchema>[0] & object): z.ZodType {
  const known = validators.get(schema) ?? z.fromJSONSchema(schema);
  validators.set(schema, known);
  return known;
}

function publishedOf(schema: z.ZodType): z.ZodType {
  const known = validators.get(schema) ?? published(jsonSchema(schema, 'output'));
  validators.set(schema, known);
  return known;
}
