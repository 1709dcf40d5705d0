/**
 * A dialogue is a JSON file: who is there, and what is said in which order. It names no language, so any
 * implementation of either side can be held to it.
 *
 * In what is expected, these stand for values that vary:
 *
 *   "$any"         anything that is there
 *   "$begins:text" text that begins so
 *   "$hex:32"      lower-case hex of 32 bytes
 *   "$base64"      standard base64 with padding
 *   "$save:name"   anything; what was found is kept under the name
 *   "$name"        exactly what was kept, in what is sent too
 *   "$more": true  in an object: other fields may follow
 *
 *   { "$includes": … }   an array, one element of which is like that
 *
 *   "$binary": true  in a frame: it came as MessagePack, in which bytes read as base64 here
 *
 * In what is sent, `{ "$pack": … }` stands for a pack in base64, see `pack-directive.ts`; `{ "$token": … }` and
 * `{ "$proof": … }` for credentials, see `credential-directive.ts`; `{ "$ibf": … }` and others for what reconciliation speaks of, see
 * `reconcile-directive.ts`. The server's admin key is `admin`'s. It keeps archives under
 * `file://`, and takes those that `admin` has signed.
 */
import { readFileSync, readdirSync } from 'node:fs';
import type { EntryAnswer, EntryOptions, HostError, HostRequest, Limits } from '@weft/core';
import type { ArchiveChange } from '@weft/core/testing';
import type { Broken } from './broken-store.js';
import type { Closing } from './dialer.js';

export type Step = PeerStep | OperatorStep;

export type OperatorStep =
  /** The host's operator shuts the room, or resumes it. */
  | { readonly operator: 'quarantine' | 'resume' }
  /** An application of this server takes the room, and keeps it. */
  | { readonly operator: 'use' }
  /** The operator holds up the store's writes, or lets them go: what is held is not durable. */
  | { readonly operator: 'hold' | 'release' }
  /** Somebody puts these bytes where a link leads to. */
  | { readonly operator: 'upload'; readonly data_b64: string }
  /** A command of the embedding API: its one event, or the error's name. */
  | ({ readonly operator: 'submit'; readonly command: HostRequest['command'] } & (
      | { readonly event: Readonly<Record<string, unknown>> }
      | { readonly error: HostError }
    ))
  /**
   * `times` commands of the embedding API at once. Nobody waits for their events; `{n}` in a text is the number of
   * each.
   */
  | { readonly operator: 'submit-many'; readonly command: object; readonly times: number }
  /** Somebody changes an archive of the server, and signs it anew if he has a name: see `ArchiveChange`. */
  | {
      readonly operator: 'alter-archive';
      readonly name: string;
      readonly change: ArchiveChange;
      readonly signedBy?: string;
    };

export type PeerStep = { readonly peer: string } &
  /** The peer sends a frame, `times` over when that is given. */
  (
    | { readonly send: Readonly<Record<string, unknown>>; readonly times?: number }
    /** A frame as MessagePack. */
    | { readonly sendBinary: Readonly<Record<string, unknown>> }
    /** A text frame as it stands. */
    | { readonly text: string }
    /** A binary frame, in hex. */
    | { readonly binary: string }
    | { readonly expect: Readonly<Record<string, unknown>> }
    /** The peer has received nothing that was not expected before. */
    | { readonly expectNothing: true }
    /** The server ends the connection. */
    | { readonly close: Closing }
    /** The peer stops reading from its socket, or resumes. */
    | { readonly reads: boolean }
    /** The peer ends the connection. */
    | { readonly leave: true }
    /** The peer connects, to another room if that is said; those in `peers` are there from the start. */
    | { readonly connect: true; readonly room?: string }
  );

export interface Dialogue {
  readonly rule: string;
  readonly title: string;
  /** Room of the dialogue; `room` when absent. */
  readonly room?: string;
  /** Limits of the server, where they are not as usual: see `Limits`. */
  readonly limits?: Partial<Limits>;
  /** What the server asks of every peer. */
  readonly entry?: EntryOptions;
  /** Answers of the server's authentication hook, by token; it denies others as unknown, and has no answer for `silence`. */
  readonly hook?: Readonly<Record<string, EntryAnswer>>;
  /** Bytes that are free on the disk of the server's store; it does not say when absent. */
  readonly diskFree?: number;
  /** Part of the server's store that does not work. */
  readonly broken?: Broken;
  /** Base of the server's links to blobs; it gives out none when absent. Nobody follows them here. */
  readonly links?: string;
  /** Commands of the host's operator before any peer connects. */
  readonly setup?: readonly HostRequest['command'][];
  readonly peers: readonly string[];
  readonly steps: readonly Step[];
}

const folder = new URL('../../conformance/dialogues/', import.meta.url);

export const dialogues: readonly { readonly file: string; readonly dialogue: Dialogue }[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => {
    const dialogue: Dialogue = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    return { file, dialogue };
  });
