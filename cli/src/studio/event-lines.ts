/** Reader of server-sent events. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const frames = (rest + decoder.decode(piece, { stream: true }).replaceAll('\r\n', '\n')).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = valuesOf(frame, 'data').join('\n');
      if (data !== '') yield { event: valuesOf(frame, 'event')[0] ?? 'message', data };
    }
  }
}

function valuesOf(frame: string, field: string): string[] {
  const start = `${field}:`;
  const lines = frame.split('\n').filter((line) => line.startsWith(start));
  return lines.map((line) => line.slice(start.length).replace(/^ /, ''));
}
