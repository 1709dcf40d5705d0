/** Confinement of programs: by what, or why not. */
import { type GroupParent, groupsText } from './control-groups.js';
import type { Inside, Sandbox } from './bubblewrap.js';
import { WHOLE_LIMITS, wholeLimitsText } from './whole-limits.js';
import { inSandbox } from './bubblewrap.js';
import { type Seatbelt, seatbeltProfile } from './seatbelt.js';

export type Confinement =
  | { readonly kind: 'bubblewrap'; readonly sandbox: Sandbox }
  | { readonly kind: 'seatbelt'; readonly sandbox: Seatbelt }
  /** A person has said that programs run as this user. */
  | { readonly kind: 'unconfined' }
  /** This machine cannot, and nobody has said so: programs are refused. */
  | { readonly kind: 'missing'; readonly why: string };

/** Servers that are said by name. */
const MOST_NAMED = 12;

/** What is said of it, where people look. */
export interface Confined {
  readonly kind: Confinement['kind'];
  readonly text: string;
}

/** `servers` are those that programs may reach where their network is a list. */
export function confinedBy(
  confinement: Confinement,
  servers: readonly string[] = [],
  groups: readonly GroupParent[] = [],
): Confined {
  const { kind } = confinement;
  switch (confinement.kind) {
    case 'bubblewrap':
      return {
        kind,
        text: `programs of agents are confined by bubblewrap, ${networkText(confinement.sandbox, servers)}; ${wholeLimitsText(WHOLE_LIMITS)}; ${groupsText(groups)}`,
      };
    case 'seatbelt':
      return {
        kind,
        text: `programs of agents are confined by seatbelt, ${networkText({ ...confinement.sandbox, bridge: '' }, servers)}`,
      };
    case 'unconfined':
      return { kind, text: 'programs of agents run as the user who runs the studio, and can do what that user can' };
    case 'missing':
      return {
        kind,
        text: `programs of agents are not run: ${confinement.why}. Start the studio once with --unconfined to run them as yourself`,
      };
  }
}

function networkText({ network, bridge }: Pick<Sandbox, 'network' | 'bridge'>, servers: readonly string[]): string {
  if (network !== 'listed') return `network ${network}`;
  if (bridge === undefined)
    return 'network off: Perl, which bridges to the servers that they may reach, does not run in there';
  if (servers.length === 0)
    return 'network off: your settings name no registry of packages, and --sandbox-hosts names no server (public stands for the public registries)';
  const more = servers.length - MOST_NAMED;
  const named = servers.slice(0, MOST_NAMED).join(', ');
  return `network to ${named}${more > 0 ? ` and ${more} more` : ''} alone`;
}

/** Command line of a confined program. */
export function confined(
  confinement: Exclude<Confinement, { readonly kind: 'missing' }>,
  inside: Inside,
): readonly [file: string, argv: string[]] {
  switch (confinement.kind) {
    case 'bubblewrap':
      return inSandbox(confinement.sandbox, inside);
    case 'seatbelt':
      return [
        '/usr/bin/sandbox-exec',
        ['-p', seatbeltProfile(confinement.sandbox, inside), inside.program, ...inside.args],
      ];
    case 'unconfined':
      return [inside.program, [...inside.args]];
  }
}
