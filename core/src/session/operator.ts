/**
 * Operator's door to commands of connections, for whoever embeds the host: with every right, and as no member of the
 * room. [HC3]
 *
 * What a command does to others happens as if a peer had asked for it; its replies are the answer.
 */
import { CAPABILITIES } from '../access/rights.js';
import type { Command, HandlerContext } from '../contract/command.js';
import type { Effects } from '../contract/effect.js';
import { frames } from '../contract/frames.js';
import { takeBlobSpace } from '../host/blob-bounds.js';
import type { Rooms } from '../host/rooms.js';
import { spreadUnasked } from '../host/spread.js';
import { ReconcileAttempts } from '../reconcile/attempts.js';
import { Rejection } from '../rejection.js';
import { anonymous } from '../tenancy/peer.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { type Frame, SharedFrame } from '../wire/frame.js';

const IDENTITY = { ...anonymous('host'), peerType: 'host', proven: true };
const RIGHTS = { proven: true, capabilities: new Set<string>(CAPABILITIES) };

export async function askAsOperator(rooms: Rooms, tenancy: Tenancy, command: Command, input: object) {
  const parsed = command.in.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Rejection('invalid-command', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
  }
  const replies: Frame[] = [];
  perform(await command.handle(contextOf(rooms, tenancy), parsed.data), tenancy, replies);
  return replies;
}

function contextOf(rooms: Rooms, tenancy: Tenancy): HandlerContext {
  const { limits, clock, crypto, store, blobUrls, telemetry } = rooms.parts;
  return {
    ...frames,
    tenancy,
    limits,
    clock,
    crypto,
    blobUrls,
    identity: IDENTITY,
    rights: RIGHTS,
    blobs: store.blobs,
    caps: rooms.offered,
    offered: rooms.offered,
    serverKey: tenancy.serverKey,
    retrySpreadMs: spreadUnasked(rooms.callers.size),
    reconciling: new ReconcileAttempts(() => tenancy.room.nodes.ids, clock),
    other: (roomId) => rooms.lease(roomId),
    mayVisit: () => Promise.resolve(),
    authenticate: () => Promise.resolve(RIGHTS),
    renew: () => Promise.resolve(RIGHTS),
    mayCreate: () => true,
    mayWrite: () => true,
    expectDisk: () => rooms.expectDisk(),
    bringer: undefined,
    takeBlobSpace: (hash, size) =>
      takeBlobSpace({ blobs: store.blobs, limits, telemetry }, { room: tenancy.room.id, hash, size }),
    expectPlace: () => undefined,
    pace: () => Promise.resolve(),
    deleteRoom: (by) => rooms.givingUp.delete(tenancy.room.id, by),
    prune: (before, by) => rooms.givingUp.prune(tenancy.room, before, by),
    erase: (key, by, only) => rooms.givingUp.erase(tenancy.room, key, by, only),
  };
}

function perform(effects: Effects, tenancy: Tenancy, replies: Frame[]): void {
  for (const effect of effects) {
    if (effect.kind === 'reply') replies.push(effect.frame);
    else if (effect.kind === 'refusal') throw effect.rejection;
    else if (effect.kind === 'broadcast') {
      const { frame, to } = effect;
      tenancy.broadcast(new SharedFrame(frame), typeof to === 'function' ? to : undefined);
    } else if (effect.kind === 'broadcast-readable') tenancy.broadcastReadable(effect.frameFor);
    else if (effect.kind === 'expel') tenancy.expel(effect.whom, effect.msg);
    else if (effect.kind === 'then') perform(effect.decide(), tenancy, replies);
    else if (effect.kind === 'stream') {
      tenancy.stream(effect.frames, effect.hears);
      replies.push(effect.reply);
    } else throw new Error(`the operator is no member of the room: ${effect.kind}`);
  }
}
