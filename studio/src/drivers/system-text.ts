/** System text of a role: the same for all agents of a profile in a repository, so that a vendor's cache serves them all. */
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import common from './roles/common.md';
import observer from './roles/observer.md';
import program from './roles/program.md';

interface Asking {
  readonly isProgram?: boolean;
  /** Repository that its agent works on. */
  readonly repositoryId?: string | undefined;
}

export function systemTextOf(
  { systemPrompt, roles = [] }: Pick<AgentProfile, 'systemPrompt' | 'roles'>,
  { isProgram = false, repositoryId }: Asking = {},
): string {
  const role = roles.find((one) => one.repositoryId === repositoryId)?.systemPrompt ?? systemPrompt;
  return `${role.trim()}\n\n${(isProgram ? program : common).trim()}`;
}

export function observerText(name: string, keywords: readonly string[]): string {
  return observer
    .trim()
    .replace('{name}', () => name)
    .replace('{domain}', () => keywords.join(', '));
}
