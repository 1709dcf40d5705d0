// Moves what a database holds to a cold store in a bucket, and kills itself at one step: `<what> <which>`, as `put 2` for before the
// second object is put, or `put-done 2` for behind it.
import { postgresStore } from '@weft/core/postgres';
import { s3Cold } from '@weft/server';

const [address, bucket, accessKey, secretKey, what, which] = process.argv.slice(2);
const cold = s3Cold(bucket, { accessKey, secretKey });
const seen = new Map();
const step = (name) => {
  seen.set(name, (seen.get(name) ?? 0) + 1);
  if (name === what && seen.get(name) === Number(which)) process.kill(process.pid, 'SIGKILL');
};
const stepped =
  (name) =>
  async (...args) => {
    step(name);
    const result = await cold[name](...args);
    step(`${name}-done`);
    return result;
  };
const store = postgresStore(address, {
  leaseMs: 500,
  cold: { place: cold.place, put: stepped('put'), get: stepped('get'), remove: stepped('remove') },
});
await store.open();
await store.cold.move(0);
await store.close();
