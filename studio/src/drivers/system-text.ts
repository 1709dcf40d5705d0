/** System text of a role: the same for all agents of a profile, so that a vendor's cache serves them all. */
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import common from './roles/common.md';
import observer from './roles/observer.md';
import program from './roles/program.md';

export function systemTextOf({ systemPrompt }: Pick<AgentProfile, 'systemPrompt'>, isProgram = false): string {
  return `${systemPrompt.trim()}\n\n${(isProgram ? program : common).trim()}`;
}

export function observerText(name: string, keywords: readonly string[]): string {
  return observer
    .trim()
    .replace('{name}', () => name)
    .replace('{domain}', () => keywords.join(', '));
}
