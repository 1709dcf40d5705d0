/** The machine under the server fails, as far as that needs no other program: its processor is taken away, connections come in waves. */
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { Peer } from './peer.js';
import { serveProcess } from './serving.js';
import { push, replicaOf } from './writer.js';

it('fault 39: a server that stood still goes on with those who waited for it', async () => {
  const { weft, url } = await serveProcess('--store', await tempFolder());
  const writer = await Peer.dial(url);
  const replica = await replicaOf((await writer.join()).welcome);
  const reader = await Peer.enter(url);
  weft.signal('SIGSTOP');
  replica.set('meanwhile', 1);
  const pushed = push(writer, replica);
  const dialled = Peer.enter(url);
  await new Promise((resolve) => setTimeout(resolve, 500));
  weft.signal('SIGCONT');
  expect(await pushed).toMatchObject({ accepted_count: 1, rejected_count: 0 });
  await reader.nextOf('pack');
  expect((await dialled).isOpen).toBe(true);
  expect(weft.problems).toEqual([]);
});

it('fault 39: connections that come and go by the thousand leave nothing behind', async () => {
  const { weft, url } = await serveProcess('--store', 'memory');
  for (let round = 0; round < 20; round++) {
    const peers = await Promise.all(Array.from({ length: 100 }, () => Peer.dial(url)));
    for (const { socket } of peers) socket.terminate();
    await Promise.all(peers.map(({ closed }) => closed));
  }
  const { welcome } = await (await Peer.dial(url)).join();
  expect(welcome['peers']).toEqual([]);
  expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});
