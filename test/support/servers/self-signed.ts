/**
 * A certificate for this machine that vouches for itself, and its key, as PEM files in a folder: made by hand, so that
 * no tool is needed.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Certificate that a client trusts. */
  readonly pem: string;
}

const SEQUENCE = 0x30;
const DAY_MS = 86_400_000;

export function selfSigned(folder: string, name = 'tls'): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = der(SEQUENCE, der(0x31, der(SEQUENCE, oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('weft test')))));
  const ecdsaWithSha256 = der(SEQUENCE, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const validity = der(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS));
  const names = der(SEQUENCE, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = der(SEQUENCE, der(0x01, Buffer.from([0xff])));
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, oid(0x55, 0x1d, 0x11), der(0x04, names)),
    der(SEQUENCE, oid(0x55, 0x1d, 0x13), der(0x04, isAuthority)),
  );
  const claims = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', claims, privateKey);
  const whole = der(SEQUENCE, claims, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const base64 = whole.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  const pem = `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  writeFileSync(cert, pem);
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { cert, key, pem };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

/** Time of ASN.1, `YYMMDDHHMMSSZ`. */
function time(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}
