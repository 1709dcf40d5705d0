/**
 * Public-address filter against request forgery: an outside name that resolves to this machine or its network would let a
 * document reach what only this host can.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const INSIDE_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
];
/** Blocked IPv6 ranges: what is not global unicast, and what embeds IPv4 addresses, whose real target is unknown. */
const INSIDE_V6 = [...['::/3', '4000::/2', '8000::/1'], ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']];

const insideV4 = listOf(INSIDE_V4, 'ipv4');
const insideV6 = listOf(INSIDE_V6, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !insideV4.check(address, 'ipv4');
  return isIPv6(address) && !insideV6.check(address, 'ipv6');
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
