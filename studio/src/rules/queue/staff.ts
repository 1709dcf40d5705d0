/** Staff: observers of a domain, and executors of agents. */
import { refusal } from '../../reasons.js';

/**
 * Observer of a domain: it looks at artifacts with its keywords, and records what follows for its domain. It changes nothing
 * else.
 */
export interface DomainAgent {
  readonly name: string;
  /** Prefix of the titles of its artifacts. */
  readonly titlePrefix: string;
  readonly keywords: readonly string[];
}

export const DOMAIN_AGENTS: readonly DomainAgent[] = [
  domain('SecurityAgent', ['security', 'auth', 'token', 'secret', 'injection']),
  domain('ArchitectureAgent', ['architecture', 'module', 'layer', 'dependency']),
  domain('PerformanceAgent', ['performance', 'latency', 'cache', 'memory']),
  domain('TestAgent', ['test', 'coverage', 'fixture', 'regression']),
  domain('DocumentationAgent', ['documentation', 'readme', 'guide', 'comment']),
  domain('UXAgent', ['ux', 'usability', 'interface', 'accessibility']),
];

/** Whether an observer has this name. */
export function isObserver(agentId: string | undefined): boolean {
  return DOMAIN_AGENTS.some(({ name }) => name === agentId);
}

/** Guard: refuses a name that no observer has, since nobody would look on. */
export function requireObservers(names: readonly string[] | null | undefined): void {
  const unknown = names?.find((name) => !isObserver(name));
  if (unknown === undefined) return;
  const message = `no observer is called ${unknown}; there are ${DOMAIN_AGENTS.map(({ name }) => name).join(', ')}`;
  throw refusal('reject.invalid_input', `enabledDomainAgents: ${message}`, [{ field: 'enabledDomainAgents', message }]);
}

function domain(name: string, keywords: readonly string[]): DomainAgent {
  return { name, titlePrefix: `[${name}] `, keywords };
}

/** Executors: the provider that a profile uses by default; null where the host itself does what a model calls. */
export const EXECUTORS = [
  { name: 'native', providerKey: null, displayName: 'This host' },
  { name: 'claude-code', providerKey: 'claude-cli', displayName: 'Claude Code' },
  { name: 'codex', providerKey: 'codex-cli', displayName: 'Codex' },
  { name: 'acp', providerKey: 'acp', displayName: 'Agent over the Agent Client Protocol' },
] as const;
