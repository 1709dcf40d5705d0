import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../../testing/doors/certificate.js';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { nodeDocuments } from '../../workspace/files/node-documents.js';
import { MAX_BYTES, readDocument, recordDocument } from './documents.js';

const rules = { enabled: true, allowedDomains: ['example.test'], deniedDomains: ['secret.example.test'] };
const refused = (reason: string) => expect.objectContaining({ reason }) as Error;

type Page = (answer: ServerResponse) => void;

const page =
  (text: string, type = 'text/plain; charset=utf-8'): Page =>
  (answer) =>
    answer.writeHead(200, { 'content-type': type }).end(text);
const redirect =
  (location: string): Page =>
  (answer) =>
    answer.writeHead(302, { location }).end();

/** Pages of this machine under names of the outside; the names are the only thing that leads here. */
async function site(pages: Readonly<Record<string, Page>>) {
  const asked: string[] = [];
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, answer) => {
    asked.push(`${String(request.headers.host)}${String(request.url)}`);
    (pages[request.url ?? ''] ?? ((nothing) => nothing.writeHead(404).end()))(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const names: string[] = [];
  const resolve = (name: string): Promise<string[]> => {
    names.push(name);
    return Promise.resolve(['127.0.0.1']);
  };
  const source = nodeDocuments({ resolve, mayReach: () => true, ca: TEST_CERTIFICATE });
  const at = (path: string, name = 'docs.example.test'): string => `https://${name}:${port}${path}`;
  return { asked, names, resolve, source, at };
}

describe('a document of the outside', () => {
  it('is read over https, without the part of its address that is the reader’s own', async () => {
    const { source, at, asked } = await site({ '/guide?a=1': page('how to') });
    const read = await readDocument(source, rules, at('/guide?a=1#top'));
    expect(read).toEqual({
      url: at('/guide?a=1'),
      contentType: 'text/plain; charset=utf-8',
      text: 'how to',
      truncated: false,
      contentHash: '11e316cbc95eeec9a78516a91e8a99484269aa22f0adbadfe084d3619aef02bf',
      snapshotBytes: 6,
    });
    expect(asked).toEqual([at('/guide?a=1').replace('https://', '')]);
  });

  it('is kept up to a size, and no more of it is read', async () => {
    const endless: Page = (answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' });
      const more = (): void => {
        while (!answer.destroyed && answer.write('x'.repeat(10_000)));
        answer.once('drain', more);
      };
      more();
    };
    const { source, at } = await site({ '/': endless });
    const read = await readDocument(source, rules, at('/'));
    expect(read).toMatchObject({ truncated: true, snapshotBytes: MAX_BYTES, text: 'x'.repeat(MAX_BYTES) });
  });

  it('is refused when it is switched off, not allowed, or not over https', async () => {
    const { source, at, asked, names } = await site({ '/': page('x') });
    const off = { ...rules, enabled: false };
    await expect(readDocument(source, off, at('/'))).rejects.toThrow(refused('reject.feature_off'));
    for (const url of [
      ...[at('/').replace('https', 'http'), 'file:///etc/hosts', 'docs.example.test', ''],
      ...[at('/', 'example.test.evil.test'), at('/', 'notexample.test'), at('/', 'a.secret.example.test')],
      ...[at('/').replace('//', '//me:word@'), 'https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/'],
    ])
      await expect(readDocument(source, rules, url), url).rejects.toThrow(refused('reject.document_refused'));
    expect([asked, names]).toEqual([[], []]);
  });

  it('leads on to others, each judged as the first', async () => {
    const pages: Record<string, Page> = { '/end': page('there'), '/loop': redirect('/loop') };
    const { source, at, asked } = await site(pages);
    Object.assign(pages, { '/start': redirect('/middle'), '/middle': redirect(at('/end', 'b.example.test')) });
    expect(await readDocument(source, rules, at('/start'))).toMatchObject({ url: at('/end', 'b.example.test') });
    await expect(readDocument(source, rules, at('/loop'))).rejects.toThrow(refused('reject.document_unreachable'));
    const before = asked.length;
    for (const target of ['http://docs.example.test/', at('/end', 'secret.example.test'), 'https://127.0.0.1/end']) {
      pages['/out'] = redirect(target);
      await expect(readDocument(source, rules, at('/out'))).rejects.toThrow(refused('reject.document_refused'));
    }
    expect(asked.length).toBe(before + 3);
  });

  it('is refused when its name leads inside', async () => {
    const { resolve, at, asked } = await site({ '/': page('x') });
    const careful = nodeDocuments({ resolve, ca: TEST_CERTIFICATE });
    await expect(readDocument(careful, rules, at('/'))).rejects.toThrow(refused('reject.document_refused'));
    const mixed = nodeDocuments({ resolve: () => Promise.resolve(['8.8.8.8', '10.0.0.1']) });
    await expect(readDocument(mixed, rules, at('/'))).rejects.toThrow(refused('reject.document_refused'));
    expect(asked).toEqual([]);
  });

  it('is not read when it is no text, is not there, or is not who it says', async () => {
    const { source, resolve, at } = await site({
      '/image': page('x', 'image/png'),
      '/packed': (answer) =>
        answer.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('x'),
    });
    await expect(readDocument(source, rules, at('/image'))).rejects.toThrow(refused('reject.document_refused'));
    await expect(readDocument(source, rules, at('/none'))).rejects.toThrow('answered 404');
    await expect(readDocument(source, rules, at('/packed'))).rejects.toThrow('it came packed (gzip)');
    const strict = nodeDocuments({ resolve, mayReach: () => true });
    await expect(readDocument(strict, rules, at('/image'))).rejects.toThrow(refused('reject.document_unreachable'));
  });

  it('is given up when it takes too long', async () => {
    const { source, at } = await site({
      '/slow': (answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders(),
    });
    await expect(readDocument(source, rules, at('/slow'), 50)).rejects.toThrow('it took too long');
    const nowhere = nodeDocuments({ resolve: () => new Promise(() => undefined) });
    await expect(readDocument(nowhere, rules, at('/'), 50)).rejects.toThrow('it took too long');
  });

  it('is kept as research of the work unit that it was read for', () => {
    const { records, change, feed } = recording();
    const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
    const text = '<html><script>no()</script><h1>How\nto</h1> begin';
    const document = { url: 'https://a.test/', contentType: 'text/html', text, contentHash: 'ab', truncated: false };
    const asked = { workUnitId, requestedUrl: 'https://a.test/#x', reason: 'to know', agentId: 'a-1' };
    const kept = change((open) => recordDocument(open, records, { ...document, snapshotBytes: 48 }, asked));
    expect(kept).toMatchObject({ summary: 'How to begin', snapshot: text, url: 'https://a.test/', contentHash: 'ab' });
    expect(records.artifacts.get(kept.artifactId)).toMatchObject({
      type: 'Research',
      body: text,
      ownedByWorkUnitId: workUnitId,
      ownedByAgentId: 'a-1',
      title: 'https://a.test/ (to know)',
    });
    expect(feed.after(0).at(-1)?.stored.event).toMatchObject({ type: 'ExternalDocFetched', url: 'https://a.test/' });
  });
});
