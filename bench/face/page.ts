/** A page of Chromium under the clock of its own timeline. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { type MainThread, type TimelineEvent, mainThreadOf } from './timeline.js';

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
const CATEGORIES = [
  'toplevel',
  'loading',
  'blink.user_timing',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  '__metadata',
];
/** Bytes of scripts are told apart by the moment of the first paint. */
export interface Loaded {
  readonly isScript: boolean;
  readonly bytes: number;
  /** Seconds of the browser's clock. */
  readonly at: number;
}

export class TimedPage {
  readonly page: Page;
  readonly #cdp: CDPSession;
  readonly #loaded: Loaded[] = [];

  private constructor(page: Page, cdp: CDPSession) {
    this.page = page;
    this.#cdp = cdp;
    const scripts = new Set<string>();
    cdp.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)));
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) =>
      this.#loaded.push({ isScript: scripts.has(requestId), bytes: encodedDataLength, at: timestamp }),
    );
  }

  /** Page of a browser that was never anywhere. */
  static async in(browser: Browser): Promise<TimedPage> {
    return TimedPage.of(await newContext(browser));
  }

  static async of(context: BrowserContext): Promise<TimedPage> {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    return new TimedPage(page, cdp);
  }

  get loaded(): readonly Loaded[] {
    return this.#loaded;
  }

  /** What the main thread did while `action` went on. */
  async timeline(action: () => Promise<unknown>): Promise<MainThread> {
    const events: TimelineEvent[] = [];
    const collect = ({ value }: { value: object[] }): void => {
      for (const event of value) events.push(event as TimelineEvent);
    };
    this.#cdp.on('Tracing.dataCollected', collect);
    await this.#cdp.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordContinuously' },
    });
    await action();
    const done = new Promise((resolve) => this.#cdp.once('Tracing.tracingComplete', resolve));
    await this.#cdp.send('Tracing.end');
    await done;
    this.#cdp.off('Tracing.dataCollected', collect);
    return mainThreadOf(events);
  }

  /** MB of the page's heap, after its garbage was collected. */
  async heapMb(): Promise<number> {
    await this.#cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#cdp.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

export function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1400, height: 900 } });
}

/** Its own windows, which it fills after it has started, are none of a page's. */
const OWN_WINDOWS_MS = 5000;

export async function startChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: FLAGS,
  });
  const page = await browser.newPage();
  await page.waitForTimeout(OWN_WINDOWS_MS);
  await page.close();
  return browser;
}

/** Steps of a page, one in each animation frame, as a person scrolls or drags without rest. */
export async function inFrames(page: Page, count: number, step: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    let at = 0;
    const next = () => {
      if (at === ${count}) return done();
      at += 1;
      ${step};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}
