/** Words of an operator. Generated from the OpenAPI document of the administration door by .ci/studio-client.mjs. */
/** Words by their ids: what each takes, and what it answers. */
export interface Words {
  /** Show what a room is: nodes, bytes, heads, the hash of its state, its lineage. */
  'room-inspect': {
    readonly input: { room: string };
    readonly output: {
      readonly room: string;
      readonly nodes: number;
      /** Size of its log. */
      readonly bytes: number;
      readonly blobs: number;
      /** Why it is quarantined, if it is. */
      readonly shut?: string;
      /** Where its log begins, if it is a fork. */
      readonly origin: unknown;
      /** Rooms that share its log. */
      readonly forks: readonly unknown[];
      readonly state_hash?: string;
      readonly heads?: readonly string[];
      readonly parent?: string;
      readonly is_locked?: boolean;
      /** Public key whose tokens let in beside those of the server. */
      readonly locked_with?: string;
      /** Who may write where; absent where everybody may. */
      readonly policy?: {
        /** For keys that no rule matches. */
        readonly default: 'allow' | 'deny';
        /** The first that matches a key decides. */
        readonly rules: readonly {
          readonly path_glob: string;
          /** Public keys. */
          readonly can_write: readonly string[];
        }[];
      };
      /** Peers whose tokens are worth nothing that expire before a Unix second. */
      readonly revoked?: readonly { readonly peer: string; readonly before: number }[];
      /** Position before which overwritten values were given up. */
      readonly pruned_before?: number;
    };
  };
  /** Show who is in a room and what they show of themselves, and what waits there beside its limits. */
  'room-peers': {
    readonly input: { room: string };
    readonly output: {
      readonly room: string;
      readonly nodes: number;
      /** Absent while the room is not in memory. */
      readonly heads?: number;
      readonly peers: readonly {
        readonly pubkey: string;
        readonly peer_type: string;
        readonly proven: boolean;
        /** Whose key it is, where it is another one’s. */
        readonly subject?: string;
      }[];
      readonly presence: readonly {
        readonly session: string;
        readonly pubkey: string;
        /** JSON. */
        readonly shows: string;
      }[];
      readonly pushes_waiting: number;
      /** What came too early and waits. */
      readonly parked_bytes: number;
      readonly parked_limit_bytes: number;
      /** What waits in the inboxes of all rooms. */
      readonly inbox_bytes: number;
      readonly inbox_limit_bytes: number;
    };
  };
  /** List the keys of a room in their order with the beginning of what each holds, now or at a position of its log. */
  'room-keys': {
    readonly input: {
      room: string;
      prefix?: string | undefined;
      search?: string | undefined;
      after?: string | undefined;
      most?: number | undefined;
      at?: number | undefined;
    };
    readonly output: {
      readonly room: string;
      /** Position that was looked at. */
      readonly seq: number;
      readonly keys: readonly {
        readonly key: string;
        readonly kind: 'register' | 'blob' | 'text' | 'list';
        /** JSON, or its beginning. */
        readonly value: string;
        readonly is_cut: boolean;
      }[];
      /** Keys that match, on all pages. */
      readonly count: number;
      readonly more: boolean;
    };
  };
  /** Show what a key holds, who wrote it and over whom it won, and the newest writes to it. */
  'room-why': {
    readonly input: { room: string; key: string; at?: number | undefined };
    readonly output: {
      readonly room: string;
      readonly key: string;
      /** Position that was looked at. */
      readonly seq: number;
      /** JSON of the register; absent where it holds nothing. */
      readonly value?: string;
      readonly is_cut?: boolean;
      /** Text of the key, where there is one. */
      readonly text?: string;
      /** JSON of the list of the key, where there is one. */
      readonly list?: string;
      /** Write that the register holds; absent where nobody has written. */
      readonly origin?: {
        readonly node: string;
        readonly author: string;
        /** Whose key the author is, where it is another one’s. */
        readonly subject?: string;
        readonly lamport: number;
        /** Time that its author has given. */
        readonly wall_ms?: number;
        /** Nodes that its author did not know, and that lost to it. */
        readonly beat: readonly string[];
      };
      /** Nodes that wrote to the key before that position, the newest first; at most 200. */
      readonly writes: readonly {
        readonly seq: number;
        readonly node: string;
        readonly author: string;
        readonly subject?: string;
        readonly wall_ms?: number;
        /** What it did to the key. */
        readonly kinds: readonly string[];
      }[];
    };
  };
  /** Show a text with who wrote which part of it, now or at a position of the log, and when it was written to. */
  'room-text': {
    readonly input: { room: string; key: string; at?: number | undefined };
    readonly output: {
      readonly room: string;
      readonly key: string;
      /** Position that was looked at. */
      readonly seq: number;
      /** Parts, each of one author. */
      readonly runs: readonly { readonly author: string; readonly text: string }[];
      /** Whether there is more text behind these. */
      readonly is_cut: boolean;
      /** Positions of the log behind each node that wrote to it, ascending; evenly chosen where there are many. */
      readonly moments: readonly number[];
    };
  };
  /** Show how the nodes of a room stand on each other, in columns, a page at a time. */
  'room-graph': {
    readonly input: { room: string; from?: number | undefined; most?: number | undefined };
    readonly output: {
      readonly room: string;
      readonly from: number;
      /** Nodes of the room, on all pages together. */
      readonly nodes: number;
      /** Public keys that the column names by place. */
      readonly authors: readonly string[];
      /** Author of each node. */
      readonly author: readonly number[];
      /** Positions that each node stands on, its author's before it first. */
      readonly parents: readonly (readonly number[])[];
      /** Positions of nodes with a signature of their own; it covers those before it. */
      readonly sealed: readonly number[];
      /** The first twelve characters of the id of each node. */
      readonly ids: readonly string[];
      /** Where one author has written two nodes on one, of the whole room, by the ids of both. */
      readonly forks: readonly { readonly author: string; readonly nodes: readonly string[] }[];
    };
  };
  /** Show of which rooms a room is a child, and which are its children. */
  'room-lineage': {
    readonly input: { room: string };
    readonly output: {
      readonly room: string;
      /** Its parent, the parent of that, and so on; each with what the child below it is for. */
      readonly ancestors: readonly { readonly room: string; readonly purpose: string; readonly merges: boolean }[];
      readonly children: readonly {
        readonly room: string;
        readonly purpose: string;
        /** Whether it may be promoted into its parent. */
        readonly merges: boolean;
        readonly created_by: string;
      }[];
    };
  };
  /** Lock a room: from now on only peers with a token enter, and who is there without one has to go. */
  'room-lock': {
    readonly input: { room: string; key?: string | undefined; rotate?: boolean | undefined };
    readonly output: {
      readonly room: string;
      /** Public key. */
      readonly locked_with: string;
    };
  };
  /** Let everybody enter a room again. */
  'room-unlock': { readonly input: { room: string }; readonly output: { readonly room: string } };
  /** Give one peer rights in a room: a token, for its hello. */
  'room-token': {
    readonly input: { room: string; peer: string; caps?: readonly string[] | undefined; ttl?: string | undefined };
    readonly output: {
      readonly peer_pubkey: string;
      /** Unix seconds. */
      readonly expiry: number;
      readonly caps: readonly string[];
      readonly sig: string;
      readonly issuer: string;
    };
  };
  /** Revoke a peer's tokens for a room: those that expire within a time. If it is there by one, it has to go. */
  'room-revoke': {
    readonly input: { room: string; peer: string; within?: string | undefined };
    readonly output: {
      readonly room: string;
      readonly peer: string;
      /** Unix seconds: tokens that expire before are worth nothing. */
      readonly before: number;
    };
  };
  /** Take back in a room that keys are those of a person: of all, or by its own word of one. Who is here as such has to go. */
  'room-revoke-keys': {
    readonly input: { room: string; subject?: string | undefined; word?: string | undefined };
    readonly output: {
      /** Whose keys they were. */
      readonly subject: string;
      /** The one key; all of the subject when absent. */
      readonly key?: string;
      readonly room: string;
    };
  };
  /** Show who may write where in a room, or say it: who is not in it may not, from now on. */
  'room-policy': {
    readonly input: {
      room: string;
      policy?:
        | {
            /** For keys that no rule matches. */
            readonly default: 'allow' | 'deny';
            /** The first that matches a key decides. */
            readonly rules: readonly {
              readonly path_glob: string;
              /** Public keys. */
              readonly can_write: readonly string[];
            }[];
          }
        | undefined;
    };
    readonly output: {
      readonly room: string;
      /** What holds; null where everybody may write. */
      readonly policy: unknown;
    };
  };
  /** Say whether a peer may write to a key by the policy of a room, and which rule decides. */
  'room-may': {
    readonly input: { room: string; peer: string; key: string };
    readonly output: {
      readonly room: string;
      readonly allowed: boolean;
      /** What decides: the peer administers the room, there is no policy, no rule matches, or one does. */
      readonly by: 'authority' | 'no policy' | 'default' | 'rule';
      /** Place of that rule, from 0. */
      readonly rule?: number;
    };
  };
  /** Begin a child room with all that a room holds now. It is locked and governed as its parent. */
  'room-fork': {
    readonly input: { room: string; child: string; purpose?: string | undefined; merges?: boolean | undefined };
    readonly output: {
      readonly room: string;
      readonly child: string;
      /** Hash of the state that parent and child share at the fork. */
      readonly canonical_hash: string;
    };
  };
  /** Merge what a child has changed into a room, in one commit; or show what that would do. */
  'room-promote': {
    readonly input: {
      room: string;
      child: string;
      keys?: string | undefined;
      merge?: boolean | undefined;
      preview?: boolean | undefined;
    };
    readonly output: {
      readonly room: string;
      readonly child: string;
      /** Whose value each key gets. */
      readonly changes: readonly { readonly key: string; readonly is_conflict: boolean; readonly stands: string }[];
      /** Changed keys behind these. */
      readonly more: number;
      /** Hash of the state of the room after the merge. */
      readonly canonical_hash?: string;
    };
  };
  /** Start the tick of a room, by which the server decides intents; or stop it. */
  'room-tick': {
    readonly input: {
      room: string;
      stop?: boolean | undefined;
      interval_ms?: number | undefined;
      intent_prefix?: string | undefined;
    };
    readonly output: {
      readonly room: string;
      readonly runs: boolean;
      /** In force, which is not what was asked for where it ran already. */
      readonly interval_ms?: number;
      readonly intent_prefix?: string;
    };
  };
  /** Compact a room. No answer changes by it. */
  'room-compact': {
    readonly input: { room: string };
    readonly output: {
      readonly room: string;
      readonly nodes: number;
      readonly snapshot_hash: string;
      readonly bytes_before: number;
      readonly bytes_after: number;
    };
  };
  /** Give up for good what registers held before a position of the log. Everybody comes again. */
  'room-prune': {
    readonly input: { room: string; before?: number | undefined };
    readonly output: {
      readonly room: string;
      /** Position before which it was given up. */
      readonly before: number;
      /** Nodes of which only headers are left. */
      readonly nodes: number;
      readonly bytes_before: number;
      readonly bytes_after: number;
    };
  };
  /** Erase every value that a key has ever had, from a room and its children. Everybody comes again. */
  'room-erase': {
    readonly input: { room: string; key: string; nodes?: readonly string[] | undefined };
    readonly output: {
      /** The key. */
      readonly key: string;
      /** Nodes that wrote to it. */
      readonly nodes: number;
      /** Child rooms that it was erased from too. */
      readonly children: readonly string[];
      /** Child rooms that hold it still, because they could not be emptied. */
      readonly left: readonly string[];
      readonly room: string;
    };
  };
  /** List the blobs that a room may read, with their sizes. */
  'room-blobs': {
    readonly input: { room: string; most?: number | undefined };
    readonly output: {
      readonly room: string;
      readonly blobs: readonly { readonly hash: string; readonly bytes: number }[];
      readonly count: number;
      /** Sum over all blobs of the room. */
      readonly bytes: number;
    };
  };
  /** Write a room with its blobs as one signed file, where the server keeps archives. One of it there is replaced. */
  'room-archive': {
    readonly input: { room: string; archive: string };
    readonly output: {
      readonly room: string;
      /** Its name in full. */
      readonly archive: string;
      readonly manifest_id: string;
      readonly nodes: number;
    };
  };
  /** Take an archive into a room, which begins with it where there is none of that name. */
  'room-restore': {
    readonly input: { room: string; archive: string; trial?: boolean | undefined };
    readonly output: {
      readonly room: string;
      /** Its name in full. */
      readonly archive: string;
      /** Nodes that the archive holds. */
      readonly nodes: number;
      /** Nodes that the room did not hold. */
      readonly imported_nodes: number;
      /** Blobs that the room did not have. */
      readonly imported_blobs: number;
      /** State hash of the room as it is now. */
      readonly state_hash: string;
    };
  };
  /** Shut a room, across restarts too: its peers have to go, and nobody enters. */
  'room-quarantine': {
    readonly input: { room: string; reason?: string | undefined };
    readonly output: { readonly room: string; readonly reason: string; readonly nodes: number };
  };
  /** Open a room again that was shut. */
  'room-resume': { readonly input: { room: string }; readonly output: { readonly room: string } };
  /** Delete a room with its history and its blobs, for good; a signed tombstone stays in its place for a time. */
  'room-delete': {
    readonly input: { room: string; confirm: string };
    readonly output: {
      readonly room: string;
      /** How many it had. */
      readonly nodes: number;
      /** Unix milliseconds until which nobody begins a room of that name. */
      readonly until?: number;
      readonly blobs_deleted: number;
      readonly bytes_deleted: number;
    };
  };
  /** Revoke what an identity provider, or your application, has given to somebody until now: who is here by it has to go. */
  'session-revoke': {
    readonly input: { subject: string };
    readonly output: {
      readonly subject: string;
      /** Sessions that were ended. */
      readonly gone: number;
    };
  };
  /** Ask again who may be here, of those whom the authentication hook has let in: other rights hold at once. */
  'session-recheck': {
    readonly input: { subject?: string | undefined; room?: string | undefined };
    readonly output: { readonly [key: string]: unknown };
  };
  /** Have an address told what rooms have become: signed, at least once, each room in the order of its log. */
  'webhook-add': {
    readonly input: { url: string; rooms?: string | undefined; from_start?: boolean | undefined };
    readonly output: {
      readonly id: string;
      readonly url: string;
      readonly rooms: string;
      /** What requests are signed with. It is shown this once. */
      readonly secret: string;
    };
  };
  /** Show who is told what rooms have become, and what keeps them waiting. */
  'webhook-list': {
    readonly input: {};
    readonly output: {
      readonly webhooks: readonly {
        readonly id: string;
        readonly url: string;
        readonly rooms: string;
        /** Rooms of which it has not been told everything. */
        readonly waiting: number;
        /** Requests in a row that it has not taken. */
        readonly failures: number;
        readonly lastFailure?: string;
      }[];
    };
  };
  /** Tell an address nothing any more. */
  'webhook-remove': { readonly input: { id: string }; readonly output: { readonly id: string } };
  /** Show who speaks for rooms on a server that runs, as it has it by now; and whether it has a say in a room. */
  'authority-status': {
    readonly input: { room?: string | undefined };
    readonly output: {
      /** Roots of rooms that begin now; absent where one key of the store does everything. */
      readonly roots?: readonly string[];
      /** Public keys that this server signs with. */
      readonly signers?: readonly string[];
      /** Why it speaks nowhere just now, and what to do. */
      readonly silence?: string;
      readonly room?: string;
      /** Id of its genesis, which --room of the words of an authority takes. */
      readonly room_genesis?: string;
      /** Roots of that room. */
      readonly room_roots?: readonly string[];
      /** Whether what this server writes there counts for the room. */
      readonly speaks?: boolean;
      /** Public key that it signs with there. */
      readonly speaker?: string;
      /** Why it has no say there, and what to do. */
      readonly why?: string;
    };
  };
}
