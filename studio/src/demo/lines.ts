/** What agents of the demonstrations call, as lines of a script say it. */
import type { WrittenLine } from '../models/providers/scripted/script.js';

export type ScriptCall = NonNullable<WrittenLine['calls']>[number];

export const call = (name: string, input: object): ScriptCall => ({ name: `svc_v1_${name}`, input: { ...input } });

export const read = (path: string): ScriptCall => call('workspace_read', { path });

export const write = (path: string, content: string): ScriptCall => call('workspace_write', { path, content });

export const propose = (summary: string): ScriptCall =>
  call('merge_propose', { sourceBranch: 'mine', targetBranch: 'main', summary });

/** Reviewer who approves whatever is shown. */
export const APPROVING: WrittenLine = {
  when: { role: 'reviewer' },
  text: 'It does what it should.',
  repeat: true,
  calls: [call('merge_review', { decision: 'Approved', verificationResults: 'Read the patch and its tests.' })],
};
