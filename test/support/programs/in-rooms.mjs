/**
 * Clients of rooms at one address. Arguments: `write` or `read`, the address, a key, and rooms. `write` sets the key in each and ends
 * when all is acknowledged; `read` prints what each has there. Whoever is sent away comes again.
 */
import { generateKeys, keepRoom } from '@weft/core/client';
import WebSocket from 'ws';

const [what, address, key, ...rooms] = process.argv.slice(2);
const values = await Promise.all(
  rooms.map(async (room) => {
    const kept = keepRoom({ open: () => new WebSocket(`${address}/ws/${room}`), keys: generateKeys() });
    await kept.joined;
    if (what === 'write') kept.replica.set(key, key);
    // A push that was cut off is made again by whoever made it.
    for (let isKept = what === 'read'; !isKept;)
      isKept = await kept.push().then(
        () => true,
        () => new Promise((resolve) => setTimeout(resolve, 100, false)),
      );
    const value = kept.replica.get(key);
    kept.close();
    return value;
  }),
);
console.log(values.join(' '));
