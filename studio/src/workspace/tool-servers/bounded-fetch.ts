/** Requests to a server that is reached over http: none is led elsewhere, and no answer is longer than it may be. */

/** Bytes of one answer. */
const MOST_ANSWERED = 16 << 20;

class TooMuchAnswered extends Error {
  override readonly name = 'TooMuchAnswered';
}

/** Whether an error says so, or was caused by one that does. */
export function isTooMuchAnswered(error: unknown): boolean {
  return error instanceof TooMuchAnswered || (error instanceof Error && isTooMuchAnswered(error.cause));
}

export async function boundedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let left = MOST_ANSWERED;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      left -= bytes.length;
      if (left < 0) throw new TooMuchAnswered(`an answer is longer than ${MOST_ANSWERED} bytes`);
      controller.enqueue(bytes);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
}
