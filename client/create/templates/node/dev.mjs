/** Rooms on this machine alone, and two programs that share one. What is written lies in `data`. */
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { startServer } from '@weft/server';
import { work } from './work.mjs';

const host = createHost({ store: levelStore('data') });
const rooms = await startServer({ host, listen: `127.0.0.1:${process.env.ROOMS_PORT ?? 7878}` });
const url = rooms.url.replace('/ws/<room>', '');
console.log(`Rooms are at ${url}.`);

await Promise.all([work(url, 'ann'), work(url, 'ben')]);

await rooms.close();
await host.close();
