/** Resources and prompts of the tools door, from the declarations in `operations`. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { Rejection } from '@weft/core';
import { type Shared, contextOf } from '../operations/context.js';
import { promptKinds } from '../operations/prompts.js';
import { type ResourceKind, resourceKinds } from '../operations/resources.js';
import type { ToolCaller } from './tools.js';

const JSON_TYPE = 'application/json';

const templates = resourceKinds.map(({ name, title, description, template }) => {
  return { name, title, description, uriTemplate: template, mimeType: JSON_TYPE };
});
const prompts = promptKinds.map(({ name, title, description, arguments: given }) => {
  return { name, title, description, arguments: given.map((one) => ({ ...one })) };
});

export function serveReading(server: Server, shared: Shared, { caller }: ToolCaller): void {
  const context = contextOf(shared, { caller, shown: (answer) => answer });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }));
  server.setRequestHandler('resources/list', () => ({
    resources: resourceKinds.flatMap((kind) =>
      (kind.list?.(context) ?? []).map(({ id, title }) => {
        const { description } = kind;
        return { uri: addressOf(kind, id), name: `${kind.name} ${id}`, title, description, mimeType: JSON_TYPE };
      }),
    ),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    for (const kind of resourceKinds) {
      const id = idIn(kind, uri);
      if (id === undefined) continue;
      const text = JSON.stringify(readOrRefuse(kind, id, uri));
      return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
    }
    throw new ResourceNotFoundError(uri);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = promptKinds.find((kind) => kind.name === name);
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt is named ${name}`);
    const missing = prompt.arguments.find((one) => one.required && (given[one.name] ?? '') === '');
    if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} needs ${missing.name}`);
    const { description } = prompt;
    return { description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }] };
  });

  function readOrRefuse(kind: ResourceKind, id: string, uri: string): unknown {
    try {
      return kind.read(context, id);
    } catch (error) {
      if (error instanceof Rejection) throw new ResourceNotFoundError(uri, error.message);
      throw error;
    }
  }
}

function addressOf({ template }: ResourceKind, id: string): string {
  return template.replace(/\{[^}]*\}/, encodeURIComponent(id));
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
