/**
 * What every request passes before anything looks at what it asks.
 *
 * The order matters: whom it was sent to (a foreign Host means a page that rebinds names), where it comes from
 * (a foreign Origin means a web page), who sends it, and only then its body, so that nobody without a token
 * makes us read anything. There is no CORS: no page of another origin has business here.
 */
import { type Caller, reaches } from '../../operations/kernel/caller.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { refusal } from '../../reasons.js';
import { tooLarge } from './body.js';
import { originCheck } from './origin.js';
import { pageSecretOf } from './page-key.js';
import { type TokenBook, digestOf } from './token-book.js';

export interface Guard {
  /** Refuses requests for, or from, somewhere else. */
  checkOrigin(request: Request): void;
  /** Answers whose the bearer token is, or the key of a page, or refuses. */
  authenticate(request: Request): Caller;
  /** What the token of a request is recognized by: the same for the same token. */
  digest(request: Request): string;
  /** Says, whenever it is asked, whether the token that let a request in would still do so. */
  watch(request: Request): () => boolean;
}

export function createGuard(tokens: TokenBook, allowedHosts: readonly string[]): Guard {
  const checkOrigin = originCheck(allowedHosts);
  return {
    checkOrigin: ({ headers }) => checkOrigin(headers),
    authenticate(request) {
      const secret = secretOf(request);
      if (secret === undefined)
        throw refusal('reject.unauthenticated', 'a bearer token is required, or a page that was opened by a link');
      const caller = tokens.callerOf(secret);
      if (caller === undefined) throw refusal('reject.unauthenticated', 'the bearer token is not one of this host');
      return caller;
    },
    digest: (request) => digestOf(secretOf(request) ?? ''),
    watch: (request) => tokens.watch(secretOf(request) ?? ''),
  };
}

function secretOf(request: Request): string | undefined {
  const bearer = /^Bearer +([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return bearer ?? pageSecretOf(request);
}

/** Whether it is for people, unless a person has named the tool for this agent. */
export function isForPeople(
  { kind, granted = [] }: Caller,
  { human, granted: isGranted, tool }: NamedOperation,
): boolean {
  if (kind !== 'agent') return false;
  return human || (isGranted && (tool === undefined || !granted.includes(tool)));
}

/** First field of an agent's input that only people may give. */
export function fieldOfPeople(
  { kind }: Caller,
  { ofPeople }: NamedOperation,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  return kind === 'agent' ? ofPeople.find((field) => input[field] !== undefined) : undefined;
}

export function requireRight(caller: Caller, operation: NamedOperation): void {
  const { scope, kind, tools } = caller;
  const { scope: needed, dispatch, id, tool = '' } = operation;
  if (isForPeople(caller, operation)) throw refusal('reject.human_only', `${id} is for people`);
  if (tools && !tools.includes(tool)) throw refusal('reject.tool_not_allowed', `${id} is not allowed here`);
  if (kind === 'agent' && !dispatch) throw refusal('reject.scope_missing', `${id} is not for agents`);
  if (reaches(scope, needed)) return;
  const facts = { needed, held: scope };
  throw refusal('reject.scope_missing', `this needs a token of scope ${needed}; yours has ${scope}`, facts);
}

/** Refuses a body that is not JSON or announces more than the bound; what it really holds is measured when it is read. */
export function checkBody(request: Request, most: number): void {
  const length = request.headers.get('content-length');
  const hasBody = request.headers.has('transfer-encoding') || (length !== null && length !== '0');
  if (!hasBody) return;
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw refusal('reject.not_json', 'the body must be declared as application/json');
  if (length !== null && Number(length) > most) throw tooLarge(most);
}
