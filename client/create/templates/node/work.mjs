import { openRoom } from '@weft/client';
import WebSocket from 'ws';

/** One program: it takes what nobody has taken, and says when all is done. */
export async function work(url, name) {
  const room = openRoom('work', { url, socket: (address) => new WebSocket(address) });
  await room.joined;
  for (const task of ['plan', 'build', 'show']) {
    if (room.get(`tasks/${task}`) === undefined) room.set(`tasks/${task}`, { by: name });
    await room.sent();
  }
  console.log(`${name}: ${JSON.stringify(room.entries('tasks/'))}`);
  await room.close();
}
