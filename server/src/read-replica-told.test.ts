import type { Notice } from '@weft/core';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.js';
import { readReplicaTold } from './read-replica-told.js';

it('a read replica is told of once when it stops answering and once when it answers again, and counted by who gave the bytes', async () => {
  const [metrics, told] = [createMetrics({ ofProcess: false }), [] as Notice[]];
  const listener = readReplicaTold({ ...metrics.telemetry, tell: (notice) => void told.push(notice) });
  listener.read(70, 'replica');
  listener.read(3, 'primary');
  listener.away(new Error('it is off'));
  const shown = await metrics.render();
  for (const line of ['bytes_total{from="replica"} 70', 'bytes_total{from="primary"} 3', 'away 1'])
    expect(shown).toContain(`weft_read_replica_${line}`);
  listener.away(undefined);
  expect(await metrics.render()).toContain('weft_read_replica_away 0');
  expect(told).toMatchObject([{ level: 'warn', error: { message: 'it is off' } }, { level: 'info' }]);
});
