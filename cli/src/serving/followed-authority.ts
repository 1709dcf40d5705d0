/**
 * Authority that is followed: what roots have said since a server was started counts without a restart. The file and the keys beside
 * the data are looked at again and again, and at once when the process is hung up on. [MA7]
 *
 * A file that would be refused at a start changes nothing: what it said before holds, and log and metrics say so.
 */
import { readFile } from 'node:fs/promises';
import type { Host, Telemetry } from '@weft/core';
import type { Config } from '@weft/server';
import { WARN_MS, authorityEnds, signersOf } from './authority.js';

const LOOK_MS = 5000;
const DAY_MS = 86_400_000;

export interface FollowedAuthorityParts {
  readonly config: Config;
  readonly host: { renewAuthority: Host['renewAuthority'] };
  readonly telemetry: Telemetry;
  /** Calls a listener when the process is hung up on; answers what ends that. */
  readonly onHangUp?: ((listener: () => void) => () => void) | undefined;
  readonly everyMs?: number;
}

export class FollowedAuthority {
  readonly #parts: FollowedAuthorityParts;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;
  #mark: string | undefined;
  #refusal: string | undefined;
  #endsAt: number | undefined;
  #warnedAt = 0;
  #looks: Promise<void> = Promise.resolve();

  constructor(parts: FollowedAuthorityParts) {
    const { telemetry, onHangUp, everyMs = LOOK_MS } = parts;
    this.#parts = parts;
    this.#timer = setInterval(() => void this.look(), everyMs).unref();
    this.#unlisten = onHangUp?.(() => void this.look(true)) ?? (() => undefined);
    telemetry.watch?.('authority_refused', () => (this.#refusal === undefined ? 0 : 1));
    telemetry.watch?.('authority_ends_seconds', () => (this.#endsAt === undefined ? 0 : this.#endsAt / 1000));
    void this.look();
  }

  /** Looks whether roots have said something; `isAsked` says in the log too that they have not. Never rejects. */
  look(isAsked = false): Promise<void> {
    this.#looks = this.#looks.then(() => this.#look(isAsked));
    return this.#looks;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#unlisten();
    await this.#looks;
  }

  async #look(isAsked: boolean): Promise<void> {
    const { config, host, telemetry } = this.#parts;
    const mark = await this.#marked();
    // The first time too: the file may have changed since the start has read it.
    const isFirst = this.#mark === undefined;
    if (mark !== this.#mark) {
      try {
        await host.renewAuthority();
        if (!isFirst) telemetry.tell?.({ level: 'info', message: 'what roots have said was taken in' });
        this.#refusal = undefined;
      } catch (error) {
        this.#refusal = String(error);
        telemetry.tell?.({
          level: 'error',
          message: 'the authority file is not taken: what it said before holds',
          error,
        });
      }
    } else if (isAsked) telemetry.tell?.({ level: 'info', message: 'roots have said nothing new' });
    this.#mark = mark;
    this.#endsAt = await authorityEnds(config).catch(() => this.#endsAt);
    this.#warn();
  }

  /** What tells one state of file, keys and terms from another. */
  async #marked(): Promise<string> {
    const { config } = this.#parts;
    const text = await readFile(config.authority!, 'utf8').catch(String);
    const signers = await signersOf(config).catch((error: unknown) => String(error));
    const names = typeof signers === 'string' ? signers : signers.map(({ publicKey }) => publicKey).join();
    const endsAt = await authorityEnds(config).catch(String);
    return [text, names, endsAt].join('\n');
  }

  #warn(): void {
    const now = Date.now();
    if (this.#endsAt === undefined || this.#endsAt - now > WARN_MS || now - this.#warnedAt < DAY_MS) return;
    this.#warnedAt = now;
    this.#parts.telemetry.tell?.({
      level: 'warn',
      message:
        'the certificate of this server ends soon: weft authority certify --signer <key> --days <n>, where the root is',
      about: { ends: new Date(this.#endsAt).toISOString() },
    });
  }
}
