/** Effects of a command, carried out in order for the session whose frame it answers. */
import type { Rights } from '../access/rights.js';
import type { CommandTable } from '../contract/command-table.js';
import type { Effect, Joining } from '../contract/effect.js';
import { Rejection } from '../rejection.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { type Frame, SharedFrame } from '../wire/frame.js';
import { MOST_ASKED, type Relay } from './relay.js';
import { answerTo, echoOf } from './replies.js';

/** What a peer may follow at a time. */
const FOLLOWED = 16;

/** The session, as far as effects change it. */
export interface Performer {
  readonly identity: PeerIdentity;
  isClosed(): boolean;
  readonly table: CommandTable;
  /** What follows the room for the peer; undefined while it is no member of a room in memory. */
  readonly relay: Relay | undefined;
  deliver(frame: SharedFrame): void;
  stream(frames: readonly SharedFrame[]): void;
  refuse(rejection: Rejection, request: Frame): void;
  join(joining: Joining, tenancy: Tenancy): void;
  /** What it hears of from here on; answers whether packs follow. */
  subscribe(patterns: readonly string[] | undefined, relay: Relay, tenancy: Tenancy, request: Frame): boolean;
  renew(rights: Rights, tenancy: Tenancy): void;
}

export function perform(effect: Effect, session: Performer, tenancy: Tenancy, request: Frame): void {
  if (session.isClosed() && effect.kind !== 'expel' && effect.kind !== 'stream') return;
  const { sessionId } = session.identity;
  switch (effect.kind) {
    case 'reply':
      return session.deliver(answerTo(request, effect.frame, session.table));
    case 'refusal':
      return session.refuse(effect.rejection, request);
    case 'broadcast': {
      const { to } = effect;
      const hears = to === 'others' ? (peer: PeerIdentity) => peer.sessionId !== sessionId : to;
      return tenancy.broadcast(new SharedFrame(effect.frame), hears);
    }
    case 'broadcast-readable':
      return tenancy.broadcastReadable(effect.frameFor, (peer) => peer.sessionId !== sessionId);
    case 'presence': {
      const shared = new SharedFrame(effect.frame);
      tenancy.presence.show(sessionId, shared, effect.ttlMs);
      return tenancy.broadcast(shared, (peer) => peer.sessionId !== sessionId);
    }
    case 'stream':
      tenancy.stream(effect.frames, effect.hears);
      return session.stream([new SharedFrame({ ...effect.reply, ...echoOf(request) })]);
    case 'join':
      return session.join(effect.joining, tenancy);
    case 'nodes':
      return relayToAsk(session)?.send(effect.select, echoOf(request));
    case 'subscribe':
      return subscribe(effect, session, tenancy, request);
    case 'follow':
      return follow(effect, session, request);
    case 'renew':
      return session.renew(effect.rights, tenancy);
    case 'then':
      for (const next of effect.decide()) perform(next, session, tenancy, request);
      return;
    case 'expel':
      return tenancy.expel(effect.whom, effect.msg);
  }
}

/** Relay to ask for history; undefined where there is none. */
function relayToAsk({ relay }: Performer): Relay | undefined {
  if (relay && relay.waiting >= MOST_ASKED)
    throw new Rejection('rate-limit', 'too many requests wait for their answers');
  return relay;
}

type Kind<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

function subscribe({ patterns, reply }: Kind<'subscribe'>, session: Performer, tenancy: Tenancy, request: Frame): void {
  const relay = relayToAsk(session);
  if (!relay) return;
  // Nodes leave as the socket takes them, and so never before the answer.
  const packsFollow = session.subscribe(patterns, relay, tenancy, request);
  session.deliver(new SharedFrame({ ...reply(packsFollow), ...echoOf(request) }));
}

function follow({ name, followed, reply }: Kind<'follow'>, session: Performer, request: Frame): void {
  const { relay } = session;
  if (!relay) return;
  if (followed && !relay.followed.has(name) && relay.followed.size >= FOLLOWED)
    throw new Rejection('reject.query_backpressure', `a connection follows at most ${FOLLOWED} things at a time`);
  // The reply goes before what is told: that leaves when nothing else waits.
  session.deliver(new SharedFrame({ ...reply, ...echoOf(request) }));
  relay.follow(name, followed);
}
