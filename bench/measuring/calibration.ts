// What the machine itself can do, measured beside every bench: figures of two machines, or of one machine at two times,
// are compared through these.
import { generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './folder.js';
import { perSecond } from './harness.js';
import type { Row } from '../results/row.js';
import { type Figures, median, summarise } from './statistics.js';

const rounds = 3;

export function calibrate(when: 'before' | 'after'): Row {
  const runs = Array.from({ length: rounds }, () => ({ ...hashing(), ...signing(), ...syncing() }));
  const about = { bench: 'calibration', lib: 'node', version: process.versions.node, trace: when, form: '' };
  return { ...about, checked: true, runs: rounds, note: '', ...summarise(runs) };
}

function hashing(): Figures {
  const message = Buffer.alloc(114, 7);
  const count = 300_000;
  const cpuBefore = process.cpuUsage();
  const ms = clock(() => {
    for (let index = 0; index < count; index += 1) {
      message.writeUInt32LE(index, 0);
      hash('sha256', message, 'hex');
    }
  });
  const { user, system } = process.cpuUsage(cpuBefore);
  // Pure computing on one thread: what is missing to 1 went to other processes.
  return { sha256_114_s: perSecond(count, ms), cpu_share: Math.min(1, (user + system) / 1000 / ms) };
}

function signing(): Figures {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const message = Buffer.alloc(64, 7);
  const signature = sign(null, message, privateKey);
  const count = 2_000;
  const signMs = clock(() => {
    for (let index = 0; index < count; index += 1) sign(null, message, privateKey);
  });
  const verifyMs = clock(() => {
    for (let index = 0; index < count; index += 1) {
      if (!verify(null, message, publicKey, signature)) throw new Error('Ed25519 of this node is broken.');
    }
  });
  return { ed25519_sign_s: perSecond(count, signMs), ed25519_verify_s: perSecond(count, verifyMs) };
}

/**
 * Time of a synced append of 4 KiB, on the disk that holds the checkout: the folder of temporary files may be memory.
 */
function syncing(): Figures {
  const folder = mkdtempSync(join(benchFolder, 'dist', 'sync-'));
  const file = openSync(join(folder, 'log'), 'a');
  try {
    const block = Buffer.alloc(4096, 7);
    const times = Array.from({ length: 40 }, () =>
      clock(() => {
        writeSync(file, block);
        fsyncSync(file);
      }),
    );
    return { fsync_ms: median(times) };
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

function clock(action: () => void): number {
  const started = performance.now();
  action();
  return performance.now() - started;
}
