import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from './address.js';

describe('parseAddress', () => {
  it.each([
    ['127.0.0.1:7878', { host: '127.0.0.1', port: 7878 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65535 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ])('reads %s, and prints it again', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    expect(formatAddress(address.host, address.port)).toBe(text);
  });

  it.each([
    ['', "bad address '': no port; write it like 127.0.0.1:7878"],
    ['localhost', "bad address 'localhost': no port; write it like localhost:7878"],
    ['localhost:', "bad address 'localhost:': the port must be a number from 0 to 65535"],
    ['localhost:http', 'the port must be a number from 0 to 65535'],
    ['localhost:-1', 'the port must be a number from 0 to 65535'],
    ['localhost:65536', 'the port must be 0 to 65535'],
    ['localhost:123456', 'the port must be a number from 0 to 65535'],
    [':7878', 'no host; write 127.0.0.1:7878 for this machine only, 0.0.0.0:7878 for every network'],
    ['::1:7878', 'write an IPv6 address in brackets, like [::1]:7878'],
    ['[::1]', 'write an IPv6 address in brackets, like [::1]:7878'],
    ['[127.0.0.1]:1', 'only an IPv6 address goes in brackets'],
    ['[]:1', 'only an IPv6 address goes in brackets'],
    ['ws://host:1', 'write an IPv6 address in brackets'],
    ['a b:1', "'a b' is not a host"],
    ['a/b:1', "'a/b' is not a host"],
  ])('refuses %j', (text, message) => {
    expect(() => parseAddress(text)).toThrow(message);
  });
});
