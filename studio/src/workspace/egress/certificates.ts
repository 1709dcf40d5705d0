/**
 * Certificates for servers at which the user has a login: made by an authority that exists in this process alone, and is trusted in
 * sandboxes alone. Written as DER by hand, so that no program is needed.
 */
import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { type SecureContext, createSecureContext } from 'node:tls';

const DAY_MS = 86_400_000;
/** Longer than any studio runs. */
const VALID_DAYS = 3650;
const SEQUENCE = 0x30;

export class CertificateAuthority {
  /** Certificate that is trusted. */
  readonly pem: string;
  readonly #key: KeyObject;
  /** Nobody else's: an issuer is looked for by its name. */
  readonly #name = named(`Weft studio ${randomBytes(8).toString('hex')}, trusted in its sandboxes alone`);
  readonly #contexts = new Map<string, SecureContext>();

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.pem = this.#certificate(this.#name, publicKey, [
      extension([0x55, 0x1d, 0x13], der(SEQUENCE, der(0x01, Buffer.from([0xff])))),
    ]);
  }

  /** What a server of this name shows. */
  contextOf(host: string): SecureContext {
    const known = this.#contexts.get(host);
    if (known) return known;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
    // No package manager asks a server by an address of the sixth version; its name is then no match, and nothing is sent.
    const names = isIPv6(host) ? [] : [extension([0x55, 0x1d, 0x11], der(SEQUENCE, name))];
    const cert = this.#certificate(named(host.slice(0, 64)), publicKey, names);
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const made = createSecureContext({ key, cert });
    this.#contexts.set(host, made);
    return made;
  }

  #certificate(subject: Buffer, key: KeyObject, extensions: readonly Buffer[]): string {
    const ecdsaWithSha256 = der(SEQUENCE, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
    const claims = der(
      SEQUENCE,
      der(0xa0, der(0x02, Buffer.from([2]))),
      // Its first bit is none, so that it is a number above zero.
      der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
      ecdsaWithSha256,
      this.#name,
      der(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + VALID_DAYS * DAY_MS)),
      subject,
      key.export({ type: 'spki', format: 'der' }),
      ...(extensions.length === 0 ? [] : [der(0xa3, der(SEQUENCE, ...extensions))]),
    );
    const signature = sign('sha256', claims, this.#key);
    const whole = der(SEQUENCE, claims, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
    return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function named(name: string): Buffer {
  return der(SEQUENCE, der(0x31, der(SEQUENCE, oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name)))));
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return der(SEQUENCE, oid(...id), der(0x04, value));
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
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`));
}
