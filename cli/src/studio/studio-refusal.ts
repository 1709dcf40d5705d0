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
    const shown = advice.includes('in details') && details !== undefined ? ` Details: ${JSON.stringify(details)}` : '';
    super(`${message} (${code}). ${advice}${shown}`.trim());
    this.code = code;
    this.details = details;
  }
}
