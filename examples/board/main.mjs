/** A board of 10,000 cards that several people move. Open the address twice. */
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { inProcessSocket } from '@weft/core/testing';
import { servePage } from '../serve-page.mjs';

const COLUMNS = ['todo', 'doing', 'done'];

const fill = async (host) => {
  const client = await connectRoom({ socket: inProcessSocket(host, 'board'), keys: generateKeys() });
  client.replica.batch(() => {
    for (let i = 0; i < 10_000; i++) client.replica.set(`cards/${i}`, { text: `Card ${i}`, column: COLUMNS[i % 3] });
  });
  await client.push();
  client.close();
};

await servePage(join(import.meta.dirname, 'page.jsx'), { fill });
