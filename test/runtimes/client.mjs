// A page's client outside of a page: what it wrote, what it read and whom it saw, as a line of JSON.
import { openRoom } from '@weft/client';
import { folder } from '@weft/client/folder';

const room = openRoom('plan', { url: process.argv[2], storage: folder('rooms') });
await room.joined;
room.set('from', process.argv[3]);
room.text('body').insert(0, 'Written here. ');
room.presence.show({ cursor: 7 });
const blob = await room.putBlob(new TextEncoder().encode('a file'));
await room.sent();
const seen = () => room.presence.others.map(({ shown }) => shown).filter((shown) => shown !== undefined);
while (seen().length === 0 || !room.textOf('body').includes('there')) {
  await new Promise((resolve) => {
    const ends = [room.presence.onChange(done), room.observe('body', done)];
    function done() {
      for (const end of ends) end();
      resolve();
    }
  });
}
const file = new TextDecoder().decode(await room.client.getBlob(blob));
await room.kept();
const { storage } = room.status;
console.log(JSON.stringify({ from: room.get('from'), body: room.textOf('body'), seen: seen(), file, storage }));
await room.close();
