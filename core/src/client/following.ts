/**
 * Following what is written to a room, and watching the rows of a query: words of their own for who needs them. [RP5] [PJ11]
 *
 * Both go on by themselves on each connection that the client makes: a follower from the position that it has come to, so nothing is
 * missing and nothing comes twice; a watcher with all rows anew.
 */
import { Rejection } from '../rejection.js';
import type { Frame } from '../wire/frame.js';
import type { RoomClient } from './room-client.js';

/** A client that stays in a room, or is in it. */
type Staying = Pick<RoomClient, 'request' | 'onNotice' | 'onState' | 'state'>;

/** How far a follower has come: kept, it goes on from there, on any connection and after any restart. */
export interface EventsPosition {
  readonly seq: number;
  /** The node before it, which tells this log from another one; absent at the beginning. */
  readonly node?: string;
}

export interface EventsPage {
  /** What was written, as `replay.read-range` tells it. */
  readonly items: readonly Frame[];
  /** Where it ends. */
  readonly position: EventsPosition;
}

export interface WatchedRow {
  readonly k: string;
  readonly kind: 'register' | 'text' | 'list' | 'blob';
  readonly v: unknown;
}

export interface Following {
  /** Rejects when nothing more is told, with the reason of the server or of the client's end; resolves behind `stop`. */
  readonly ended: Promise<void>;
  stop(): void;
}

export interface FollowOptions {
  readonly from?: EventsPosition;
  /** Only ops under keys that begin so. */
  readonly keyPrefix?: string;
}

/** Calls `take` with each page that is written behind a position, in order. One at a time on each client. */
export function followEvents(client: Staying, options: FollowOptions, take: (page: EventsPage) => void): Following {
  let position: EventsPosition = options.from ?? { seq: 0 };
  return followed(client, {
    begin: () => ({
      type: 'events.follow',
      after: position.seq,
      ...(position.node === undefined ? {} : { node_id: position.node }),
      key_prefix: options.keyPrefix ?? '',
    }),
    end: { type: 'events.unfollow' },
    isEnd: ({ type }) => type === 'events.ended',
    heard(frame) {
      if (frame['type'] !== 'events.written' || frame['after'] !== position.seq) return;
      position = { seq: Number(frame['canonical_seq']), node: String(frame['node_id']) };
      take({ items: frame['items'] as readonly Frame[], position });
    },
  });
}

/** Calls `take` with all rows of a projection's query in their order, and again whenever they have changed. */
export function watchProjection(
  client: Staying,
  projection: string,
  take: (rows: readonly WatchedRow[]) => void,
): Following {
  let rows: WatchedRow[] = [];
  return followed(client, {
    begin() {
      rows = [];
      return { type: 'projection.watch', projection_id: projection };
    },
    end: { type: 'projection.unwatch', projection_id: projection },
    isEnd: ({ type, projection_id: id }) => type === 'projection.watch.ended' && id === projection,
    heard(frame) {
      if (frame['type'] !== 'projection.changed' || frame['projection_id'] !== projection) return;
      const put = frame['put'] as readonly (WatchedRow & { readonly index: number })[];
      // A row that is put may be there, reading otherwise or elsewhere.
      const gone = [...(frame['removed'] as readonly Pick<WatchedRow, 'k' | 'kind'>[]), ...put];
      rows = rows.filter(({ k, kind }) => !gone.some((one) => one.k === k && one.kind === kind));
      for (const { index, ...row } of put) rows.splice(index, 0, row);
      if (frame['final'] === true) take([...rows]);
    },
  });
}

interface Follower {
  /** What is sent on each connection. */
  begin(): Frame;
  readonly end: Frame;
  isEnd(frame: Frame): boolean;
  heard(frame: Frame): void;
}

function followed(client: Staying, { begin, end, isEnd, heard }: Follower): Following {
  let isOver = false;
  let settle: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  ended.catch(() => undefined); // who does not ask is not to be ended by it
  const over = (error?: Error): void => {
    if (isOver) return;
    isOver = true;
    unlisten.forEach((off) => off());
    settle(error);
  };
  const start = async (): Promise<void> => {
    try {
      const answer = await client.request(begin());
      if (answer.type.endsWith('.rejected'))
        over(new Rejection(String(answer['reason_class']), String(answer['reason_message'])));
    } catch (error) {
      // A connection that was lost is followed by another, or by the client's end.
      if (client.state === 'joined') over(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const unlisten = [
    client.onNotice((frame) => {
      if (isEnd(frame)) over(new Rejection(String(frame['code']), String(frame['msg'])));
      else if (!isOver) heard(frame);
    }),
    client.onState((state, { error }) => {
      if (state === 'joined') void start();
      if (state === 'ended') over(error ?? new Rejection('disconnected', 'the client has ended'));
    }),
  ];
  if (client.state === 'joined') void start();
  return {
    ended,
    stop() {
      if (client.state === 'joined' && !isOver) client.request(end).catch(() => undefined);
      over();
    },
  };
}
