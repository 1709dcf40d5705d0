/**
 * Effects: what a handler answers with. It touches no socket and no member; the session, or the operator's door, performs
 * what it has returned, in order.
 */
import type { Rights } from '../access/rights.js';
import type { NodeId } from '../graph/node.js';
import type { Rejection } from '../rejection.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { FrameFor, Member, Tenancy } from '../tenancy/tenancy.js';
import type { Frame } from '../wire/frame.js';

export type Effects = readonly Effect[];

export type Effect =
  | { readonly kind: 'reply'; readonly frame: Frame }
  /** Refuses a part of the request; what was done with the rest stands. */
  | { readonly kind: 'refusal'; readonly rejection: Rejection }
  | { readonly kind: 'broadcast'; readonly frame: Frame; readonly to: Audience }
  /** A broadcast to everybody else of what not everybody may hear all of. */
  | { readonly kind: 'broadcast-readable'; readonly frameFor: FrameFor }
  | { readonly kind: 'presence'; readonly frame: Frame; readonly ttlMs: number | undefined }
  /** Frames for the members who hear them, as their sockets take them; whoever asked gets the reply behind. */
  | {
      readonly kind: 'stream';
      readonly frames: readonly Frame[];
      readonly hears: (rights: Rights) => boolean;
      readonly reply: Frame;
    }
  /** Makes the peer a member; it is sent what it lacks, and what comes. */
  | { readonly kind: 'join'; readonly joining: Joining }
  /** Sends nodes: those that the peer is not known to hold, or just these. */
  | { readonly kind: 'nodes'; readonly select: NodeSelection }
  /** Changes what the peer is sent; the reply says whether packs follow it. */
  | {
      readonly kind: 'subscribe';
      readonly patterns: readonly string[] | undefined;
      readonly reply: (packsFollow: boolean) => Frame;
    }
  /** What the peer is told beside the nodes from now on, under a name; nothing under it any more when absent. */
  | { readonly kind: 'follow'; readonly name: string; readonly followed?: Followed; readonly reply: Frame }
  /** From here on the peer has these rights, until they expire. */
  | { readonly kind: 'renew'; readonly rights: Rights }
  /** Effects that depend on how things stand when they are performed. */
  | { readonly kind: 'then'; readonly decide: () => Effects }
  /** Ends other connections, even when the one that asked for it has ended itself. */
  | { readonly kind: 'expel'; readonly whom: (member: Member) => boolean; readonly msg: string };

/**
 * What a peer follows beside the nodes. It is asked for a frame when the socket takes one and nothing else waits, and again after
 * each commit: so nothing is queued, and a slow peer is served from the room as it is then.
 */
export interface Followed {
  /** The next frame by the rights that the peer has now; undefined while there is nothing to tell. `isLast`: it has ended with it. */
  next(tenancy: Tenancy, rights: Rights): Promise<{ readonly frame: Frame; readonly isLast?: boolean } | undefined>;
}

/** Audience of a broadcast: everybody else, or those that a function names. */
export type Audience = 'others' | ((peer: PeerIdentity) => boolean);

/** Nodes to be sent: all but what the peer holds, or those of these ids, or those of these log positions. */
export type NodeSelection =
  | { readonly known: readonly NodeId[] }
  | { readonly ids: readonly NodeId[] }
  | { readonly numbers: readonly number[] };

/** What a peer becomes with its hello. */
export interface Joining {
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  readonly caps: ReadonlySet<string>;
  /** Key patterns that it has subscribed to; absent: everything. */
  readonly patterns?: readonly string[];
  /** Nodes that it holds, with their ancestors; or the very nodes that it lacks. */
  readonly catchUp: { readonly known: readonly NodeId[] } | { readonly numbers: readonly number[] };
  /** The connection that it goes on from. */
  readonly supersedes?: Member;
}
