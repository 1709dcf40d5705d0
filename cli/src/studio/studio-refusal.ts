/** What a studio refuses, as a person is told: why, and what helps. */

/** Commands that help after a refusal, by its code. A refusal without one brings advice of its own. */
const COMMANDS: Readonly<Record<string, string>> = {
  'reject.repository_needed':
    'In the folder of a project: weft run "<goal>"; weft studio repository list shows what is registered.',
  'reject.repository_not_found': 'weft studio repository list shows what is registered.',
  'reject.goal_not_found': 'weft status lists the goals.',
  'reject.workunit_not_found': 'weft studio workunit list shows the work units.',
  'reject.proposal_not_found': 'weft status shows what waits for a review.',
  'reject.clarification_not_found': 'weft status shows which questions are open.',
  'reject.dead_letter_not_found': 'weft status shows what has failed.',
  'reject.wrong_state': 'weft status shows what waits for you.',
  'reject.remote_not_found': 'git remote -v lists what there is; git remote add <name> <address> adds one.',
  // What a studio advises here is for agents, who cannot mend a server.
  'reject.tool_server_unreachable':
    'Correct --command or --url (see what it said in details), then weft tools add adds it again.',
  'reject.tool_server_slow': 'Start it by hand to see what it waits for, then weft tools add adds it again.',
  'reject.tool_server_answer': 'It has to be mended where it is made (see what it said in details).',
  'reject.tool_server_changed': 'weft tools add shows what it has now, and adds it again.',
  'reject.folder_dirty': 'Commit or stash what is in the folder (git stash), then ask again.',
};

export interface Refused {
  readonly message: string;
  readonly code: string;
  readonly recovery?: readonly string[];
  readonly details?: unknown;
}

export class StudioRefusal extends Error {
  override readonly name = 'StudioRefusal';
  readonly code: string;
  readonly details: unknown;

  constructor({ message, code, recovery = [], details }: Refused) {
    const advice = COMMANDS[code] ?? recovery.join(' ');
    const told = advice.includes('in details') ? detailsBeside(message, code, details) : '';
    super(`${message} (${code}). ${advice.replaceAll(/ (named|listed)? ?in details/g, '')}${told}`.trim());
    this.code = code;
    this.details = details;
  }
}

/** What the details say that the message does not: for programs they are fields, for people a sentence. */
function detailsBeside(message: string, code: string, details: unknown): string {
  if (typeof details !== 'object' || details === null) return '';
  if (code === 'reject.git_failed' && 'said' in details) return ` Git said: ${String(details.said)}`;
  const untold = leavesOf(details).filter(({ text }) => !message.includes(text));
  return untold.length === 0
    ? ''
    : ` (${untold.map(({ name, text }) => `${name} ${text.replaceAll(/\s+/g, ' ')}`).join(', ')})`;
}

/** Values without parts, each with the field that it stands in. */
function leavesOf(value: unknown, name = ''): { readonly name: string; readonly text: string }[] {
  if (typeof value !== 'object' || value === null) return [{ name, text: String(value) }];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, Array.isArray(value) ? name : key));
}
