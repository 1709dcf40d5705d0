/** Result of one call to a studio's tools door. */
import { eventsIn } from './event-lines.js';

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

interface Failure {
  readonly message: string;
  readonly code: string;
  readonly recovery?: readonly string[];
  readonly details?: unknown;
}

type Envelope = Failure & { readonly data: unknown; readonly nextCursor?: string };

/** Data and next cursor of an answer; throws what the tool refused. */
export async function toolResult(answer: Response): Promise<{ data: unknown; next: string | undefined }> {
  const { result, error } = JSON.parse(await messageIn(answer)) as Answer;
  if (!result) throw new Error(error?.message ?? 'the studio answered nothing');
  const envelope = JSON.parse(result.content[0]?.text ?? '{}') as Envelope;
  if (result.isError) throw new Error(failureText(envelope));
  return { data: envelope.data, next: envelope.nextCursor };
}

/** Error text of a refusal, with the details: the advice often points to them. */
export function failureText({ message, code, recovery = [], details }: Failure): string {
  const said = `${message} (${code}). ${recovery.join(' ')}`.trim();
  return details === undefined ? said : `${said} Details: ${JSON.stringify(details)}`;
}

async function messageIn(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true || !answer.body)
    return answer.text();
  for await (const { data } of eventsIn(answer.body)) return data;
  return '{}';
}
