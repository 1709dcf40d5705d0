/** Listing of a bucket in the order of the keys, page by page. */
import type { S3Bucket } from './bucket.js';

export interface Listed {
  /** Key below the bucket's prefix. */
  readonly key: string;
  /** Time of the last change, in Unix milliseconds. */
  readonly changed: number;
  readonly size: number;
}

export async function* list(bucket: S3Bucket, under: string): AsyncGenerator<Listed> {
  const { prefix } = bucket.location;
  let query: Record<string, string> = { 'list-type': '2', prefix: prefix + under };
  for (;;) {
    const text = await (await bucket.ask('list objects', { method: 'GET', query })).text();
    for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const changed = Date.parse(field(entry, 'LastModified') ?? '');
      const size = Number(field(entry, 'Size') ?? 0);
      yield { key: (field(entry, 'Key') ?? '').slice(prefix.length), changed, size };
    }
    const next = field(text, 'NextContinuationToken');
    if (next === undefined) return;
    query = { ...query, 'continuation-token': next };
  }
}

/** Text of the first element with this name. */
export function field(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
