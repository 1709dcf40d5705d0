/** Offer of the studio over the tools protocol: operations as tools, resources and prompts. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { Rejection } from '@weft/core';
import { type Context, type OperationParts, contextOf } from '../../operations/kernel/context.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { promptKinds } from '../../operations/host/prompts.js';
import { type ResourceKind, addressOf, resourceKinds } from '../../operations/host/resources.js';
import { tellOver } from './notices.js';
import type { Offer, OfferedPrompt, OfferedTool, ToolCaller } from './offer.js';
import { once } from '../entry/once.js';
import { PeopleAsked } from './people-asked.js';
import { StudioTasks } from './studio-tasks.js';
import { boundTools, callTool, toolList } from './tools.js';

const JSON_TYPE = 'application/json';

const templates = resourceKinds.map(({ name, title, description, template }) => {
  return { name, title, description, uriTemplate: template, mimeType: JSON_TYPE };
});
const prompts = promptKinds.map(({ name, title, description, arguments: named, text }): OfferedPrompt => {
  const get: OfferedPrompt['get'] = (given) => {
    return { description, messages: [{ role: 'user', content: { type: 'text', text: text(given) } }] };
  };
  return { name, title, description, arguments: named.map((one) => ({ ...one })), get };
});

export function studioOffer(
  table: readonly NamedOperation[],
  profile: 'internal' | 'external',
  shared: OperationParts,
): (caller: ToolCaller) => Offer {
  const bound = new Map(boundTools(table, profile).map((tool) => [tool.name, tool]));
  const all = once(() => toolList(table, profile));
  const people = new PeopleAsked(table, shared);
  const tasks = new StudioTasks(table, shared, people);
  const dispatched = once(() => toolList(table, 'dispatched'));
  return ({ caller, requestId }) => {
    const context = contextOf(shared, { caller, show: (answer) => answer });
    return {
      get tools() {
        return caller.kind === 'agent' ? dispatched() : all();
      },
      tool(name) {
        const found = bound.get(name);
        if (!found) return undefined;
        const { outputSchema, operation } = found;
        const call: OfferedTool['call'] = async (input, key, during) => {
          const answer = () => callTool(found, input, { caller, requestId, key, tell: tellOver(during) }, shared);
          if (operation.asks) return people.after(operation.asks, answer, { caller, requestId }, during);
          return tasks.inPlaceOf(await answer(), operation, { caller, requestId }, during);
        };
        return { outputSchema, call };
      },
      ...(profile === 'external' ? { task: (id: string) => tasks.find(id, { caller, requestId }) } : {}),
      templates,
      prompts,
      resources: () => resourceKinds.flatMap((kind) => listed(kind, context)),
      read(uri) {
        const [kind, id] = resourceAt(uri) ?? [];
        if (kind === undefined || id === undefined) return undefined;
        return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(readOrRefuse(kind, context, id, uri)) }] };
      },
      // An argument is named after the id that it is.
      completions: (argument, begun) =>
        resourceKinds
          .filter(({ template }) => template.endsWith(`/{${argument}}`))
          .flatMap((kind) => kind.list?.(context) ?? [])
          .flatMap(({ id }) => (id.startsWith(begun) ? [id] : [])),
    };
  };
}

function listed(kind: ResourceKind, context: Context) {
  return (kind.list?.(context) ?? []).map(({ id, title }) => {
    const uri = addressOf(kind, id);
    return { uri, name: `${kind.name} ${id}`, title, description: kind.description, mimeType: JSON_TYPE };
  });
}

function readOrRefuse(kind: ResourceKind, context: Context, id: string, uri: string): unknown {
  try {
    return kind.read(context, id);
  } catch (error) {
    if (error instanceof Rejection) throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

function resourceAt(uri: string): readonly [ResourceKind, string] | undefined {
  for (const kind of resourceKinds) {
    const id = idIn(kind, uri);
    if (id !== undefined) return [kind, id];
  }
  return undefined;
}

function idIn({ template }: ResourceKind, uri: string): string | undefined {
  const [before = '', after = ''] = template.split(/\{[^}]*\}/);
  if (!uri.startsWith(before) || !uri.endsWith(after) || uri.length <= before.length + after.length) return undefined;
  const id = uri.slice(before.length, uri.length - after.length);
  if (id.includes('/')) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
