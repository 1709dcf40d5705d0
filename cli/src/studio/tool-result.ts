/** Result of one call to a studio's tools door. */
import { eventsIn } from './event-lines.js';
import { type Refused, StudioRefusal } from './studio-refusal.js';

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

type Envelope = Refused & { readonly data: unknown; readonly nextCursor?: string };

/** Data and next cursor of an answer; throws what the tool refused. */
export async function toolResult(answer: Response): Promise<{ data: unknown; next: string | undefined }> {
  const { result, error } = JSON.parse(await messageIn(answer)) as Answer;
  if (!result) throw new Error(error?.message ?? 'the studio answered nothing');
  const envelope = JSON.parse(result.content[0]?.text ?? '{}') as Envelope;
  if (result.isError) throw new StudioRefusal(envelope);
  return { data: envelope.data, next: envelope.nextCursor };
}

async function messageIn(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true || !answer.body)
    return answer.text();
  for await (const { data } of eventsIn(answer.body)) return data;
  return '{}';
}
