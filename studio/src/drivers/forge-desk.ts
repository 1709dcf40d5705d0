/**
 * Forge desk: keeps repositories in step with their forges. It looks when something has happened here, when a notice comes, and from
 * time to time, since a notice may be lost. A forge that is down or limits costs nothing but time.
 */
import type { ForgeConnection } from '../record/aggregates/forge/forge.js';
import type { Clock } from '../clock.js';
import type { StudioLog } from '../log.js';
import { isReason, refusal } from '../reasons.js';
import type { Ledger } from '../record/ledger/ledger.js';
import type { Forge } from '../workspace/forges/forge.js';
import { isSigned, readNotice } from '../workspace/forges/hook.js';
import { makeForge } from '../workspace/forges/make-forge.js';
import { CANDIDATE, type Proposal } from '../record/aggregates/merge-proposal/state.js';
import type { AtForge, BranchContext } from '../rules/branches/branch-context.js';
import type { Reaching } from '../rules/branches/remotes.js';
import type { ForgeContext } from '../rules/forges/forge-context.js';
import { askForChecks, beginOffer, mergeThere } from '../rules/forges/landing.js';
import { syncForge } from '../rules/forges/sync.js';

/** Events after which a forge may have to be told something. */
const TOLD = new Set(['merge-proposal', 'clarification', 'goal', 'forge', 'contribution']);
/** Deliveries that are remembered. Forgetting one costs a look. */
const MOST_DELIVERIES = 1_000;
/** How far back the first look of a process goes, for what was said while no host ran. */
const UNSEEN_MS = 86_400_000;
/** What the clock of a forge may differ by. */
const CLOCKS_MS = 120_000;
const SOON_MS = 100;
const FIRST_WAIT_MS = 5_000;
const MOST_WAIT_MS = 300_000;

export interface DeskOptions {
  /** Time between looks where nothing is heard. */
  readonly everyMs: number;
}

export const DESK_DEFAULTS: DeskOptions = { everyMs: 60_000 };

/** Longest wait for checks of a landing, for which somebody waits. */
const MOST_ASKED_MS = 20_000;

export interface DeskParts extends BranchContext, Reaching {
  readonly ledger: Pick<Ledger, 'feed' | 'hostId' | 'change'>;
  readonly credentials: { keyOf(name: string): Promise<string | undefined> };
  readonly wall: Clock;
  readonly log: StudioLog;
}

interface Desk {
  running: Promise<void> | undefined;
  /** Issues of the next look; undefined where none is asked for. */
  next: Set<number> | undefined;
  cancel: () => void;
  lookedAt: string | undefined;
  waitsUntil: number | undefined;
  /** When the last look began at which all issues were seen. */
  seenUpTo: number | undefined;
  failures: number;
  troubles: readonly string[];
}

export class ForgeDesk implements AtForge {
  readonly context: ForgeContext;
  readonly #parts: DeskParts;
  readonly #everyMs: number;
  readonly #desks = new Map<string, Desk>();
  readonly #forges = new Map<string, { readonly key: string; readonly forge: Forge }>();
  readonly #deliveries = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #unfollow: () => void;

  constructor(parts: DeskParts, { everyMs }: DeskOptions = DESK_DEFAULTS) {
    this.#parts = parts;
    this.#everyMs = everyMs;
    this.context = {
      ...parts,
      change: (work) => parts.ledger.change('forge', work),
      forgeOf: (connection) => this.#forgeOf(connection),
      secretOf: (connection) => this.#secretOf(connection),
    };
    this.#unfollow = parts.ledger.feed.onEvent(({ stored: { aggregate } }) => {
      if (TOLD.has(aggregate)) for (const { repositoryId } of this.#mine()) this.#plan(repositoryId, SOON_MS);
    });
    for (const { repositoryId } of this.#mine()) this.#plan(repositoryId, SOON_MS);
  }

  state(repositoryId: string) {
    const { lookedAt, waitsUntil, troubles = [] } = this.#desks.get(repositoryId) ?? {};
    return {
      lookedAt,
      waitsUntil: waitsUntil === undefined ? undefined : new Date(waitsUntil).toISOString(),
      troubles,
    };
  }

  async look(repositoryId: string, issues: readonly number[] = []) {
    const desk = this.#deskOf(repositoryId);
    desk.next = new Set([...(desk.next ?? []), ...issues]);
    desk.waitsUntil = undefined;
    await desk.running;
    await this.#run(repositoryId, desk);
    return this.state(repositoryId);
  }

  async heed(repositoryId: string, headers: Headers, bytes: Uint8Array): Promise<'new' | 'known'> {
    const connection = this.#parts.records.forges.get(repositoryId);
    const secret =
      connection?.hookRef === undefined ? undefined : await this.#parts.credentials.keyOf(connection.hookRef);
    if (connection === undefined || secret === undefined || !isSigned(connection.kind, headers, bytes, secret))
      throw refusal('reject.hook_signature', 'the notice is not signed with the secret of a connection');
    const { deliveryId, issue } = readNotice(connection.kind, headers, bytes);
    const key = `${repositoryId} ${deliveryId}`;
    if (deliveryId !== undefined && this.#deliveries.has(key)) return 'known';
    if (deliveryId !== undefined) this.#deliveries.add(key);
    for (const oldest of this.#deliveries) {
      if (this.#deliveries.size <= MOST_DELIVERIES) break;
      this.#deliveries.delete(oldest);
    }
    const desk = this.#deskOf(repositoryId);
    desk.next = new Set([...(desk.next ?? []), ...(issue === undefined ? [] : [issue])]);
    this.#plan(repositoryId, 0);
    return 'new';
  }

  async askChecks(proposal: Proposal): Promise<void> {
    const connection = this.#connectionOf(proposal);
    if (connection?.requiredChecks === undefined) return;
    const { proposalId } = proposal;
    try {
      await this.#inTime(askForChecks(this.context, connection, proposal));
    } catch (error) {
      if (isReason(error, 'reject.stopping')) throw error;
      throw refusal(
        'reject.checks_required',
        `${proposalId} waits for the checks of its forge, which could not be asked: ${textOf(error)}`,
        { proposalId, checks: [], url: null },
      );
    }
  }

  async merge(proposal: Proposal): Promise<boolean> {
    const { proposalId, repositoryId, sourceBranch } = proposal;
    const connection = this.#parts.records.forges.get(repositoryId);
    if (connection?.merges !== 'there' || sourceBranch === CANDIDATE) return false;
    if (!this.#connectionOf(proposal))
      throw refusal('reject.forge_refused', `${proposalId} is merged at its forge, by the host ${connection.hostId}`, {
        hostId: connection.hostId,
      });
    // Whoever asks at the same time finds it merged.
    return this.#parts.lane.inOrder(`merging ${proposalId}`, async () => {
      const isMerged = (): boolean => this.#parts.records.proposals.get(proposalId)?.status === 'Merged';
      if (isMerged()) return true;
      await beginOffer(this.context, proposal);
      await this.look(repositoryId);
      if (!isMerged()) await mergeThere(this.context, connection, proposal);
      const { troubles } = await this.look(repositoryId);
      if (isMerged()) return true;
      throw refusal('reject.forge_refused', `${proposalId} was merged at its forge, and could not come here yet`, {
        troubles,
      });
    });
  }

  async stop(): Promise<void> {
    this.#unfollow();
    this.#stopping.abort();
    for (const desk of this.#desks.values()) desk.cancel();
    await Promise.all([...this.#desks.values()].map(({ running }) => running));
  }

  /** Connection of a proposal's repository, if this host acts for it. */
  #connectionOf({ repositoryId }: Proposal): ForgeConnection | undefined {
    return this.#mine().find((one) => one.repositoryId === repositoryId);
  }

  /** Bounds a wait; what is waited for goes on, and is recorded when it comes. */
  async #inTime(work: Promise<void>): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = this.#parts.wall.after(MOST_ASKED_MS, () =>
        reject(refusal('reject.forge_unreachable', 'it has not answered in time')),
      );
    });
    await Promise.race([work, late]).finally(cancel);
  }

  /** Connections that this host acts for. */
  #mine(): ForgeConnection[] {
    return this.#parts.records.forges.all().filter(({ hostId }) => hostId === this.#parts.ledger.hostId);
  }

  #deskOf(repositoryId: string): Desk {
    const found = this.#desks.get(repositoryId);
    if (found) return found;
    const made: Desk = {
      running: undefined,
      next: undefined,
      lookedAt: undefined,
      waitsUntil: undefined,
      seenUpTo: undefined,
      cancel: () => undefined,
      failures: 0,
      troubles: [],
    };
    this.#desks.set(repositoryId, made);
    return made;
  }

  /** Plans a look; one that is planned already comes no later for it, and none comes before a limit of the forge ends. */
  #plan(repositoryId: string, milliseconds: number): void {
    if (this.#stopping.signal.aborted) return;
    const desk = this.#deskOf(repositoryId);
    desk.next ??= new Set();
    if (desk.running) return;
    desk.cancel();
    const { wall } = this.#parts;
    const wait = Math.max(milliseconds, (desk.waitsUntil ?? 0) - wall.now());
    desk.cancel = wall.after(wait, () => void this.#run(repositoryId, desk));
  }

  #run(repositoryId: string, desk: Desk): Promise<void> {
    if (desk.running) return desk.running;
    desk.cancel();
    const issues = desk.next ?? new Set();
    desk.next = undefined;
    desk.running = this.#once(repositoryId, desk, issues).finally(() => {
      desk.running = undefined;
      // Something may have come meanwhile.
      this.#plan(repositoryId, desk.next === undefined ? this.#everyMs : SOON_MS);
    });
    return desk.running;
  }

  async #once(repositoryId: string, desk: Desk, issues: ReadonlySet<number>): Promise<void> {
    const { log, records, now, wall, ledger } = this.#parts;
    if (this.#stopping.signal.aborted || records.forges.get(repositoryId)?.hostId !== ledger.hostId) return;
    let troubles: string[];
    try {
      const begun = wall.now();
      const since = this.#seenUpTo(repositoryId, desk.seenUpTo ?? begun - UNSEEN_MS);
      const found = await syncForge(this.context, repositoryId, { issues, since });
      troubles = found.map(({ about, error }) => `${about}: ${textOf(error)}`);
      Object.assign(desk, { failures: 0, waitsUntil: undefined });
      // What went wrong with issues is looked at again.
      if (!found.some(({ about }) => about === 'issues')) desk.seenUpTo = begun;
    } catch (error) {
      if (isReason(error, 'reject.stopping')) return;
      // They are asked for again.
      desk.next = new Set([...(desk.next ?? []), ...issues]);
      desk.waitsUntil = limitOf(error) ?? wall.now() + Math.min(FIRST_WAIT_MS * 2 ** desk.failures, MOST_WAIT_MS);
      desk.failures += 1;
      troubles = [textOf(error)];
    }
    for (const trouble of troubles)
      if (!desk.troubles.includes(trouble))
        log({ level: 'warn', message: 'a repository is not in step with its forge', about: { repositoryId, trouble } });
    Object.assign(desk, { troubles, lookedAt: now() });
  }

  /** Time since when changes are looked at: none of before the connection, and clocks differ. */
  #seenUpTo(repositoryId: string, time: number): string {
    const { connectedAt = '' } = this.#parts.records.forges.get(repositoryId) ?? {};
    return new Date(Math.max(Date.parse(connectedAt) || 0, time) - CLOCKS_MS).toISOString();
  }

  #forgeOf(connection: ForgeConnection): Forge {
    const { repositoryId, kind, api, project, tokenRef } = connection;
    const key = JSON.stringify([kind, api, project, tokenRef]);
    const known = this.#forges.get(repositoryId);
    if (known?.key === key) return known.forge;
    const { wall: clock, credentials } = this.#parts;
    const token = (): Promise<string | undefined> => credentials.keyOf(tokenRef);
    const forge = makeForge({ kind, api, project }, { token, clock, signal: this.#stopping.signal });
    this.#forges.set(repositoryId, { key, forge });
    return forge;
  }

  /** The token serves for git over HTTP too, at the host of the remote if that is the one of the forge. */
  async #secretOf({ repositoryId, remote, api, kind, tokenRef }: ForgeConnection) {
    const path = this.#parts.records.repositories.get(repositoryId)?.path;
    const found = path === undefined ? [] : await this.#parts.disk.remotes.of(path);
    const url = found.find(({ name }) => name === remote)?.url ?? '';
    if (!URL.canParse(url)) return undefined;
    const { protocol, host, hostname } = new URL(url);
    const ofForge = new URL(api);
    const isTheirs = host === ofForge.host || `api.${hostname}` === ofForge.hostname;
    if (!isTheirs || !['https:', 'http:'].includes(protocol)) return undefined;
    const secret = await this.#parts.credentials.keyOf(tokenRef);
    const user = kind === 'gitlab' ? 'oauth2' : 'x-access-token';
    return secret === undefined ? undefined : { origin: `${protocol}//${host}`, user, secret };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** End of a limit that the forge has named. */
function limitOf(error: unknown): number | undefined {
  if (!isReason(error, 'reject.forge_limited')) return undefined;
  const { until } = (error.data ?? {}) as { until?: string };
  return until === undefined ? undefined : Date.parse(until);
}
