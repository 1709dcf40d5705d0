/** Refusals that have nothing to do with what is asked for. */
import type { ReasonRow } from './reason-row.js';

export const generalReasons = {
  'reject.invalid_input': {
    kind: 'invalid',
    meaning: 'A field is missing, unknown, or of the wrong type.',
    recovery: ['Correct the fields listed in details and call again.'],
  },
  'reject.unauthenticated': {
    kind: 'unauthenticated',
    meaning: 'The request carries no bearer token, or one that this host did not issue.',
    recovery: ['Send "Authorization: Bearer <token>" with a token from studio.tokens.json.'],
  },
  'reject.scope_missing': {
    kind: 'forbidden',
    meaning: 'The token is valid but its scope does not reach this operation.',
    recovery: ['Use a token of the scope named in the message.'],
  },
  'reject.host_not_allowed': {
    kind: 'forbidden',
    meaning: 'The Host header names a host that this server does not answer for.',
    recovery: ['Use the address that the studio printed at start, or allow the host name when starting it.'],
  },
  'reject.origin_not_allowed': {
    kind: 'forbidden',
    meaning: 'The request comes from a web page of another origin.',
    recovery: ['Call from a program, or from a page served by the studio itself.'],
  },
  'reject.route_not_found': {
    kind: 'missing',
    meaning: 'No operation answers this method and path.',
    recovery: ['See /studio/openapi.json for every route.'],
  },
  'reject.not_json': {
    kind: 'not-json',
    meaning: 'The body is not declared as application/json.',
    recovery: ['Send "Content-Type: application/json".'],
  },
  'reject.body_too_large': {
    kind: 'too-large',
    meaning: 'The body is larger than 10 MiB.',
    recovery: ['Send less in one request.'],
  },
  'reject.change_too_large': {
    kind: 'too-large',
    meaning: 'What was to be recorded is larger than one record can be, 1 MiB; nothing of it was.',
    recovery: ['Send less in one request.'],
  },
  'reject.stopping': {
    kind: 'stopping',
    meaning: 'The host is shutting down.',
    recovery: ['Try again when the host is back.'],
    retryable: true,
  },
  'reject.disk_full': {
    kind: 'full',
    meaning: 'A disk of the host is full, or nearly so; what would be recorded or written is not.',
    recovery: [
      'Free space on the disk of the data folder, or of the folder that you named, or give it more.',
      'Call again when there is space.',
    ],
    retryable: true,
  },
  'reject.store_failed': {
    kind: 'failing',
    meaning: 'The store of the host fails, such as by a broken or read-only disk, or a database that does not answer.',
    recovery: [
      'Ask who runs the host to look into its log, which has the cause under this request id.',
      'When the store works again, look whether the change is there, and call again if it is not. With the same Idempotency-Key nothing is done twice.',
    ],
    retryable: true,
  },
  'reject.event_not_understood': {
    kind: 'impossible',
    meaning: 'The stream holds an event that this version of the studio cannot read.',
    recovery: ['Update this host to the version that the other hosts run.'],
  },
  'reject.human_only': {
    kind: 'forbidden',
    meaning: 'Only people may do this; the caller is an agent.',
    recovery: ['Ask a person, for instance by a clarification.'],
  },
  'reject.tool_not_found': {
    kind: 'missing',
    meaning: 'No tool that agents may use has this name.',
    recovery: ['Use one of the tools that are listed.'],
  },
  'reject.tool_not_allowed': {
    kind: 'forbidden',
    meaning: 'The tool is not among those that this agent was allowed.',
    recovery: ['Use another tool, or ask a person.'],
  },
  'reject.not_your_work': {
    kind: 'forbidden',
    meaning: 'The call would change what is not of the work unit of this agent.',
    recovery: ['Name your own work unit and its branch, or ask a person.'],
  },
  'reject.rate_limited': {
    kind: 'limited',
    meaning: 'The token has made more requests than it may.',
    recovery: ['Wait as long as Retry-After says, then send fewer.'],
    retryable: true,
  },
  'reject.too_many_sessions': {
    kind: 'limited',
    meaning: 'The token has as many sessions of tools, or one of them as many streams, as it may.',
    recovery: ['End sessions that nobody needs with DELETE, or wait until calls under way are answered.'],
    retryable: true,
  },
  'reject.busy': {
    kind: 'conflict',
    meaning: 'Something else was done at the same moment.',
    recovery: ['Try again.'],
    retryable: true,
  },
  'reject.git_missing': {
    kind: 'impossible',
    meaning: 'This host has no git, which everything needs that touches a repository.',
    recovery: ['Install git, such as with apt-get install git or brew install git, and ask again.'],
  },
  'reject.idempotency_key_reused': {
    kind: 'impossible',
    meaning: 'The idempotency key was used for another request.',
    recovery: ['Use a new key for each new request.'],
  },
  'reject.changed_meanwhile': {
    kind: 'stale',
    meaning: 'What was to be changed is not what If-Match names.',
    recovery: ['Read it again, and decide whether the change still makes sense.'],
  },
} as const satisfies Record<string, ReasonRow>;
