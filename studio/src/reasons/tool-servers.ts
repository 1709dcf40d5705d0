/** Refusals of tool servers, which people add for agents. */
import type { ReasonRow } from './reason-row.js';

export const toolServerReasons = {
  'reject.tool_server_not_found': {
    kind: 'missing',
    meaning: 'No tool server has this name.',
    recovery: ['List the tool servers.'],
  },
  'reject.tool_server_address': {
    kind: 'invalid',
    meaning: 'Tool servers are not reached at this address.',
    recovery: ['Name an address of this machine, or have the operator allow the host (--tool-hosts) and use https.'],
  },
  'reject.tool_server_key': {
    kind: 'impossible',
    meaning: 'A key that the tool server is to be given is not there.',
    recovery: ['Have a person give it: weft key set and its name.'],
  },
  'reject.tool_server_unreachable': {
    kind: 'impossible',
    meaning: 'The tool server could not be started or reached, or went away.',
    recovery: ['Go on without it. A person is told, and can see why.'],
    retryable: true,
  },
  'reject.tool_server_slow': {
    kind: 'impossible',
    meaning: 'The tool server did not answer in its time. What was asked of it may have been done.',
    recovery: ['Look at what was done before it is called again, or ask it for less.'],
  },
  'reject.tool_server_answer': {
    kind: 'impossible',
    meaning: 'The tool server answered what cannot be used: other than its own schemas say, or far too much.',
    recovery: ['Go on without it. A person is told.'],
  },
  'reject.tool_server_changed': {
    kind: 'conflict',
    meaning: 'The tool is no longer the one that a person allowed.',
    recovery: ['Go on without it. A person is told, looks at what it is now, and adds the server again.'],
  },
  'reject.tool_server_cut_off': {
    kind: 'conflict',
    meaning: 'The host ended while this call was made. It may have been done.',
    recovery: ['Look at what was done before it is called again.'],
  },
} as const satisfies Record<string, ReasonRow>;
