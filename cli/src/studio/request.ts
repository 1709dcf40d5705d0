/** The request that calls an operation of a studio. */
import type { CommandCall } from '@weft/studio';

export interface CommandRequest {
  readonly method: string;
  /** Path of the request, query included. */
  readonly path: string;
  readonly body: string | undefined;
  /** Whether the request goes to a door of tools. */
  readonly isTool: boolean;
}

export function requestOf(call: CommandCall, input: Readonly<Record<string, unknown>>): CommandRequest {
  if ('tool' in call) return toolRequest(call, input);
  const query = new URLSearchParams();
  for (const key of call.query)
    for (const one of [input[key] ?? []].flat()) query.append(key, typeof one === 'string' ? one : JSON.stringify(one));
  const body = Object.fromEntries(call.body.flatMap((key) => (key in input ? [[key, input[key]]] : [])));
  const filled = call.path.replace(/\{([^}]*)\}/g, (_whole, key: string) => encodeURIComponent(String(input[key])));
  return {
    method: call.method,
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    body: call.method === 'GET' || call.body.length === 0 ? undefined : JSON.stringify(body),
    isTool: false,
  };
}

function toolRequest({ tool, door }: Extract<CommandCall, { tool: string }>, input: object): CommandRequest {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } };
  return { method: 'POST', path: door, body: JSON.stringify(call), isTool: true };
}
