/** Certificates that the user's own settings trust beside those of the system, and what programs inside are told to trust. */
import { readFile, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Variables that name a file of certificates. */
const NAMED_BY = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'GIT_SSL_CAINFO',
  'CURL_CA_BUNDLE',
];
/** Lines of settings that do. */
const SAID_AS = /^\s*(?:cafile|cert)\s*=\s*"?(.+?)"?\s*$/gm;
const OF_THE_SYSTEM = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];
const LONGEST = 4 << 20;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Files below the home inside. */
export const EXTRA_INSIDE = '.weft/extra.pem';
export const ALL_INSIDE = '.weft/all.pem';
/** What is trusted, as Java reads it. */
export const STORE_INSIDE = '.weft/all.jks';

/** Certificates of the user's own: those that the system does not have. */
export async function ownCertificates(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): Promise<readonly string[]> {
  const paths = [
    ...NAMED_BY.flatMap((name) => environment[name] ?? []),
    ...settings.flatMap((text) => [...text.matchAll(SAID_AS)].map(([, path = '']) => path)),
  ];
  if (paths.length === 0) return [];
  const known = new Set(certificatesIn(await systemCertificates()));
  const texts = await Promise.all([...new Set(paths)].map(textOf));
  return [...new Set(texts.flatMap(certificatesIn))].filter((one) => !known.has(one));
}

/** Those of the system, as one text. */
export async function systemCertificates(): Promise<string> {
  for (const path of OF_THE_SYSTEM) {
    const text = await textOf(path);
    if (text !== '') return text;
  }
  return rootCertificates.join('\n');
}

/** Variables by which programs inside find both files, which lie below their home. */
export function trustEnvironment(home: string): Readonly<Record<string, string>> {
  const all = `${home}/${ALL_INSIDE}`;
  const takeAll = [
    'SSL_CERT_FILE',
    'REQUESTS_CA_BUNDLE',
    'PIP_CERT',
    'CURL_CA_BUNDLE',
    'CARGO_HTTP_CAINFO',
    'GIT_SSL_CAINFO',
    'npm_config_cafile',
  ];
  return {
    // Node adds them to its own, at each start.
    NODE_EXTRA_CA_CERTS: `${home}/${EXTRA_INSIDE}`,
    ...Object.fromEntries(takeAll.map((name) => [name, all])),
  };
}

/** Option of Java for the file in which it finds them; it reads no variable of this kind. */
export function javaTrust(home: string): readonly string[] {
  return [`-Djavax.net.ssl.trustStore=${home}/${STORE_INSIDE}`, '-Djavax.net.ssl.trustStoreType=JKS'];
}

/** Key store of Java with certificates alone, in its oldest format, which each Java reads without a program's help. */
export function javaStore(text: string): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const name = (value: string): Buffer => Buffer.concat([number(value.length).subarray(2), Buffer.from(value)]);
  const entries = certificatesIn(text).map((pem, index) => {
    const bytes = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
    return Buffer.concat([
      number(TRUSTED_ENTRY),
      name(`weft-${index}`),
      Buffer.alloc(8),
      name('X.509'),
      number(bytes.length),
      bytes,
    ]);
  });
  const body = Buffer.concat([number(MAGIC), number(2), number(entries.length), ...entries]);
  // A check against accidents, with a password and words that the format has always had.
  const words = Buffer.from(PASSWORD, 'utf16le').swap16();
  return Buffer.concat([body, createHash('sha1').update(words).update('Mighty Aphrodite').update(body).digest()]);
}

const MAGIC = 0xfeedfeed;
const TRUSTED_ENTRY = 2;
const PASSWORD = 'changeit';

function certificatesIn(text: string): string[] {
  return [...text.matchAll(CERTIFICATE)].map(([one]) => one.replaceAll('\r', ''));
}

async function textOf(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return !found.isFile() || found.size > LONGEST ? '' : await readFile(path, 'utf8');
  } catch {
    // What is not there is trusted by nobody.
    return '';
  }
}
