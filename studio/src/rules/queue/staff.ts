/** Who can be asked to work: observers of a domain, and what runs agents. */

/** Looks at what is recorded where its words occur, and records what follows for its domain. It changes nothing else. */
export interface DomainAgent {
  readonly name: string;
  /** What the title of all that it records begins with. */
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

/** Whether somebody who looks on has this name. */
export function isObserver(agentId: string | undefined): boolean {
  return DOMAIN_AGENTS.some(({ name }) => name === agentId);
}

function domain(name: string, keywords: readonly string[]): DomainAgent {
  return { name, titlePrefix: `[${name}] `, keywords };
}

const none = { turnTelemetry: false, resume: false, hooks: false, subAgents: false, mcp: false, planningMode: false };

/** A profile that names one is worked on with its provider, where nobody has chosen another. */
export const EXECUTORS = [
  {
    name: 'native',
    providerKey: null,
    displayName: 'This host',
    capabilities: { ...none, turnTelemetry: true, resume: true, hooks: true, subAgents: true },
  },
  {
    name: 'claude-code',
    providerKey: 'claude-cli',
    displayName: 'Claude Code',
    capabilities: { ...none, turnTelemetry: true, resume: true, mcp: true, planningMode: true },
  },
  {
    name: 'codex',
    providerKey: 'codex-cli',
    displayName: 'Codex',
    capabilities: { ...none, turnTelemetry: true, mcp: true },
  },
];
