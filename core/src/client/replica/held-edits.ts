/** Held edit: what a server has refused, in terms of the application, so that a person can see it, and try it again. [RE4] */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { opAt } from '../../codec/nodes/op.js';
import { BlobRef } from '../../crdt/registers.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import type { NodeReason } from '../../rejection.js';
import type { Lost } from './unconfirmed.js';

/**
 * One edit of a node. Of values: what was to stand there, and the old one, which stands there again; undefined where nothing did. Of
 * texts and lists: what was to be inserted, or how much was to be deleted.
 */
export type RefusedEdit =
  | { readonly kind: 'set'; readonly key: string; readonly value: unknown; readonly old?: unknown }
  | { readonly kind: 'delete'; readonly key: string; readonly old?: unknown }
  | { readonly kind: 'set-blob'; readonly key: string; readonly hash: string; readonly old?: unknown }
  | { readonly kind: 'insert-text'; readonly key: string; readonly text: string }
  | { readonly kind: 'delete-text'; readonly key: string; readonly count: number }
  | { readonly kind: 'insert-items'; readonly key: string; readonly items: readonly unknown[] }
  | { readonly kind: 'delete-items'; readonly key: string; readonly count: number }
  | { readonly kind: 'move-item'; readonly key: string }
  /** Null took the mark away. */
  | { readonly kind: 'mark-text'; readonly key: string; readonly name: string; readonly value: unknown };

/** Edits that the server refused for good, kept until somebody tries them again or lets them go. */
export interface HeldEdit {
  /** The refused node. */
  readonly id: NodeId;
  readonly reason: NodeReason;
  /** In the order in which they were made. */
  readonly edits: readonly RefusedEdit[];
}

/** What lost nodes have edited; ask before they are given up. */
export function heldEdits({ table }: Graph, lost: readonly Lost[]): HeldEdit[] {
  return lost.map(([node, { id, reason }]) => {
    const edits: RefusedEdit[] = [];
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) edits.push(editOf(opAt(table, op)));
    return { id, reason, edits };
  });
}

/** Old values of refused edits, by what is read once they are given up. Of several edits of one key each has replaced the one before. */
export function withOld(held: readonly HeldEdit[], read: (key: string) => unknown): HeldEdit[] {
  const before = new Map<string, unknown>();
  const completed = (edit: RefusedEdit): RefusedEdit => {
    if (edit.kind !== 'set' && edit.kind !== 'delete' && edit.kind !== 'set-blob') return edit;
    const { key } = edit;
    const old = before.has(key) ? before.get(key) : read(key);
    before.set(key, edit.kind === 'set' ? edit.value : edit.kind === 'set-blob' ? new BlobRef(edit.hash) : undefined);
    return { ...edit, old };
  };
  return held.map((one) => ({ ...one, edits: one.edits.map(completed) }));
}

function editOf(op: ReturnType<typeof opAt>): RefusedEdit {
  const { key } = op;
  switch (op.kind) {
    case 'set':
      return { kind: 'set', key, value: decodeValue(op.value) };
    case 'delete':
      return { kind: 'delete', key };
    case 'set-blob':
      return { kind: 'set-blob', key, hash: toHex(op.hash) };
    case 'text-insert':
      return { kind: 'insert-text', key, text: op.text };
    case 'text-delete':
      return { kind: 'delete-text', key, count: op.count };
    case 'list-insert':
      return { kind: 'insert-items', key, items: op.values.map(decodeValue) };
    case 'list-delete':
      return { kind: 'delete-items', key, count: op.count };
    case 'list-move':
      return { kind: 'move-item', key };
    case 'text-mark':
      return { kind: 'mark-text', key, name: op.name, value: decodeValue(op.value) };
  }
}
