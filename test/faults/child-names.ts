/**
 * States in which the name of a child to be can stand before its parent is forked onto it. Each is brought about over real
 * sockets; what follows from it is the same for all: see `forks.test.ts`.
 */
import { type Host, type RoomId, parseRoomId, toBase64 } from '@weft/core';
import { type Frame, Peer } from './peer.js';
import { replicaOf, sealed } from './writer.js';

export const CHILD = parseRoomId('child') as RoomId;

export interface Scene {
  /** The host that is asked to fork. */
  readonly here: { readonly host: Host; readonly url: string };
  /** Another host over the same store. */
  readonly there: { readonly host: Host; readonly url: string };
  /** Lets time pass until a room in which nothing happens has left the host's memory. */
  readonly sleep: (host: Host) => Promise<void>;
}

export interface ChildName {
  readonly state: string;
  /** Brings it about; answers who is in that room. */
  readonly prepare: (scene: Scene) => Promise<Sitter[]>;
  /** `taken`: the child comes into being, and whoever was there has to come again. `refused`: nothing is written. */
  readonly fate: 'taken' | 'refused';
}

/** Somebody who sits in the room, and what he can push there. */
export interface Sitter {
  readonly peer: Peer;
  readonly pack: object;
  /** All that it has been sent. */
  readonly heard: readonly Frame[];
}

export async function sitIn(url: string, room: string = CHILD, hello: object = {}): Promise<Sitter> {
  const peer = await Peer.dial(url, room);
  const heard: Frame[] = [];
  peer.socket.on('message', (data: Buffer) => heard.push(JSON.parse(String(data)) as Frame));
  const replica = await replicaOf((await peer.join(hello)).welcome);
  replica.set('bogus', 1);
  return { peer, heard, pack: { type: 'pack', nodes: toBase64(await sealed(replica)) } };
}

export const childNames: readonly ChildName[] = [
  { state: 'nobody has ever been there', prepare: () => Promise.resolve([]), fate: 'taken' },
  { state: 'somebody is in it', prepare: async ({ here }) => [await sitIn(here.url)], fate: 'taken' },
  {
    state: 'several are in it',
    prepare: async ({ here }) => [await sitIn(here.url), await sitIn(here.url)],
    fate: 'taken',
  },
  {
    state: 'somebody was in it a moment ago',
    async prepare({ here }) {
      const { peer } = await sitIn(here.url);
      peer.socket.close();
      await peer.closed;
      return [];
    },
    fate: 'taken',
  },
  {
    state: 'somebody is in it and it sleeps',
    async prepare({ here, sleep }) {
      const sitter = await sitIn(here.url);
      await sleep(here.host);
      return [sitter];
    },
    fate: 'taken',
  },
  {
    state: 'an application holds it',
    async prepare({ here }) {
      await here.host.room(CHILD);
      return [];
    },
    fate: 'refused',
  },
  {
    state: 'an operator has shut it',
    async prepare({ here }) {
      await here.host.quarantine(CHILD, 'a test');
      return [];
    },
    fate: 'refused',
  },
  {
    state: 'somebody has written to it',
    async prepare({ here }) {
      const { peer, pack } = await sitIn(here.url);
      peer.send(pack);
      await peer.nextOf('pack-ack');
      peer.socket.close();
      return [];
    },
    fate: 'refused',
  },
  {
    state: 'somebody is in it on another host',
    prepare: async ({ there }) => [await sitIn(there.url)],
    fate: 'refused',
  },
  {
    state: 'somebody is in it on another host, and it sleeps',
    async prepare({ there, sleep }) {
      const sitter = await sitIn(there.url);
      await sleep(there.host);
      return [sitter];
    },
    fate: 'taken',
  },
];
