/**
 * Document fetching with redirects. Every hop is checked by the same rules, because an allowed page may redirect to a forbidden
 * one.
 */
import { createHash } from 'node:crypto';
import { type ExternalDoc, externalDoc } from '../../record/aggregates/external-doc/external-doc.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { DocFetchRules } from '../../record/views/doc-fetch-rules.js';
import type { Records } from '../../record/views/records.js';
import type { DocumentSource } from '../../workspace/files/documents.js';
import { recordArtifact } from './artifacts.js';

export const MAX_BYTES = 32_768;
const TIMEOUT_MS = 15_000;
const MOST_REDIRECTS = 3;
const SUMMARY_CHARACTERS = 400;

export interface Document {
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  readonly contentHash: string;
  readonly truncated: boolean;
  readonly snapshotBytes: number;
}

export async function readDocument(
  source: DocumentSource,
  rules: DocFetchRules,
  wanted: string,
  timeoutMs = TIMEOUT_MS,
): Promise<Document> {
  if (!rules.enabled) throw refusal('reject.feature_off', 'reading documents of the outside is switched off');
  const signal = AbortSignal.timeout(timeoutMs);
  let url = allowedUrl(wanted, rules);
  for (let step = 0; step <= MOST_REDIRECTS; step++) {
    const { status, location, contentType, bytes, truncated } = await source.get(url, { maxBytes: MAX_BYTES, signal });
    if (status >= 300 && status < 400 && location !== undefined) {
      url = allowedUrl(location, rules, url);
      continue;
    }
    if (status !== 200) throw refusal('reject.document_unreachable', `${url.href} answered ${status}`, { status });
    if (!isText(contentType))
      throw refusal('reject.document_refused', `${url.href} is no text but ${contentType}`, { contentType });
    const contentHash = createHash('sha256').update(bytes).digest('hex');
    const text = new TextDecoder().decode(bytes);
    return { url: url.href, contentType, text, contentHash, truncated, snapshotBytes: bytes.length };
  }
  throw refusal('reject.document_unreachable', `${wanted} leads on and on`);
}

export interface Fetched extends ExternalDoc {
  readonly snapshot: string;
  readonly summary: string;
}

/** Records a document as research for a work unit. */
export function recordDocument(
  change: Change,
  records: Records,
  { text, ...document }: Document,
  asked: { workUnitId: string; requestedUrl: string; reason: string; agentId?: string | undefined },
): Fetched {
  const { agentId, workUnitId, requestedUrl, reason } = asked;
  const title = `${document.url} (${reason.replace(/\s+/g, ' ').slice(0, 200)})`;
  const { artifactId } = recordArtifact(change, records, { type: 'Research', title, body: text, workUnitId, agentId });
  const kept = { artifactId, workUnitId, requestedUrl, reason, ...document };
  return { ...change.run(externalDoc, artifactId, 'fetched', kept), snapshot: text, summary: inShort(text) };
}

function allowedUrl(wanted: string, { allowedDomains, deniedDomains }: DocFetchRules, base?: URL): URL {
  const url = URL.canParse(wanted, base?.href) ? new URL(wanted, base?.href) : undefined;
  const refuse = (why: string): Error => refusal('reject.document_refused', `${wanted} ${why}`, { url: wanted });
  if (!url) throw refuse('is no address');
  if (url.protocol !== 'https:') throw refuse('is not read over https');
  if (url.username !== '' || url.password !== '') throw refuse('holds a name or a password');
  const isIn = (domains: readonly string[]): boolean => domains.some((domain) => isBelow(url.hostname, domain));
  if (isIn(deniedDomains) || !isIn(allowedDomains)) throw refuse('is not in an allowed domain');
  // The fragment never leaves the reader.
  url.hash = '';
  return url;
}

function isBelow(name: string, domain: string): boolean {
  const wanted = domain.toLowerCase();
  const bare = name.replace(/\.$/, '');
  return bare === wanted || bare.endsWith(`.${wanted}`);
}

function isText(contentType: string): boolean {
  return /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/yaml\b)/i.test(contentType.trim());
}

/** Plain text, with markup removed as far as that is easy. */
function inShort(text: string): string {
  const plain = text
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return plain.trim().slice(0, SUMMARY_CHARACTERS);
}
