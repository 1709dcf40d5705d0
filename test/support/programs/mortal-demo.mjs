/**
 * The demonstration in a process that ends itself, as by a power cut, right after so many things have become durable.
 * Arguments: folder, and after how many; 0 for never. At the end it prints how things stand, and how many there were.
 */
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { runDemo } from '@weft/studio';

const [folder, boundary] = [process.argv[2], Number(process.argv[3])];
let count = 0;

const instead = (target, methods) =>
  new Proxy(target, {
    get(of, name) {
      if (name in methods) return methods[name];
      const value = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });

const host = createHost({ store: levelStore(join(folder, 'store')) });
await host.ready();
const mortal = instead(host, {
  room: async (id) => {
    const room = await host.room(id);
    return instead(room, {
      transactMany: async (work) => {
        const result = await room.transactMany(work);
        count += 1;
        if (count === boundary) process.kill(process.pid, 'SIGKILL');
        return result;
      },
    });
  },
});
// Right after each start the studio looks whether every unit is in exactly one place, and says which is not.
const misplaced = [];
const log = ({ message, about }) => {
  if (message === 'a work unit is in no queue, or in two') misplaced.push(about.workUnitId);
};
const { passed, units } = await runDemo({ host: mortal, folder, say: () => undefined, log });
await host.close();
console.log(JSON.stringify({ passed, units, misplaced, count }));
