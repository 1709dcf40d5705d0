/** Confinement of programs: by what, or why not. */
import type { Inside, Sandbox } from './bubblewrap.js';
import { inSandbox } from './bubblewrap.js';
import { type Seatbelt, seatbeltProfile } from './seatbelt.js';

export type Confinement =
  | { readonly kind: 'bubblewrap'; readonly sandbox: Sandbox }
  | { readonly kind: 'seatbelt'; readonly sandbox: Seatbelt }
  /** A person has said that programs run as this user. */
  | { readonly kind: 'unconfined' }
  /** This machine cannot, and nobody has said so: programs are refused. */
  | { readonly kind: 'missing'; readonly why: string };

/** What is said of it, where people look. */
export interface Confined {
  readonly kind: Confinement['kind'];
  readonly text: string;
}

export function confinedBy(confinement: Confinement): Confined {
  const { kind } = confinement;
  switch (confinement.kind) {
    case 'bubblewrap':
      return { kind, text: `programs of agents are confined by bubblewrap, network ${confinement.sandbox.network}` };
    case 'seatbelt':
      return { kind, text: `programs of agents are confined by seatbelt, network ${confinement.sandbox.network}` };
    case 'unconfined':
      return { kind, text: 'programs of agents run as the user who runs the studio, and can do what that user can' };
    case 'missing':
      return {
        kind,
        text: `programs of agents are not run: ${confinement.why}. Start the studio once with --unconfined to run them as yourself`,
      };
  }
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
