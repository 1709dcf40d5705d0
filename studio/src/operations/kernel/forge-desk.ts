/** Desk port: keeps repositories in step with their forges, one look at a time for each. */
import type { ForgeContext } from '../../rules/forges/forge-context.js';

export interface DeskState {
  /** When it last looked, ISO 8601. */
  readonly lookedAt: string | undefined;
  /** Until when the forge takes nothing, ISO 8601. */
  readonly waitsUntil: string | undefined;
  /** What went wrong at the last look, for people. */
  readonly troubles: readonly string[];
}

export interface ForgeDesk {
  readonly context: ForgeContext;
  /** Looks now, or once more where a look is under way; answers how it stands then. */
  look(repositoryId: string, issues?: readonly number[]): Promise<DeskState>;
  state(repositoryId: string): DeskState;
  /** Takes a notice: its bytes are believed when they are signed. Answers whether it came before. */
  heed(repositoryId: string, headers: Headers, bytes: Uint8Array): Promise<'new' | 'known'>;
}
