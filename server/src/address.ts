/** `host:port` as people type it and as URLs print it. IPv6 hosts stand in brackets. */
import { isIPv6 } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const SHAPE = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/;
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export function parseAddress(text: string): Address {
  const match = SHAPE.exec(text);
  if (match === null) throw new Error(`bad address '${text}': ${whatIsWrong(text)}`);
  const [, bracketed, plain = '', digits] = match;
  const port = Number(digits);
  if (port > 65535) throw new Error(`bad address '${text}': the port must be 0 to 65535`);
  if (bracketed !== undefined) {
    if (!isIPv6(bracketed)) throw new Error(`bad address '${text}': only an IPv6 address goes in brackets`);
    return { host: bracketed, port };
  }
  if (plain === '') {
    throw new Error(
      `bad address '${text}': no host; write 127.0.0.1:${port} for this machine only, 0.0.0.0:${port} for every network`,
    );
  }
  if (!HOST_NAME.test(plain)) throw new Error(`bad address '${text}': '${plain}' is not a host`);
  return { host: plain, port };
}

export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function whatIsWrong(text: string): string {
  if (isIPv6(text) || text.split(':').length > 2) return 'write an IPv6 address in brackets, like [::1]:7878';
  if (!text.includes(':')) return `no port; write it like ${text || '127.0.0.1'}:7878`;
  return 'the port must be a number from 0 to 65535';
}
