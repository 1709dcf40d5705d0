/** Chromium of this machine, for one test. */
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function browser(...flags: readonly string[]): Promise<Browser> {
  const launched = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...FLAGS, ...flags] });
  onTestFinished(() => launched.close());
  return launched;
}
