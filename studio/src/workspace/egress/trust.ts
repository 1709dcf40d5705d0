/** Certificates that the user's own settings trust beside those of the system, and what programs inside are told to trust. */
import { readFile, stat } from 'node:fs/promises';
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
