/** Addresses that the studio sends to by itself: http of this machine, and https of hosts that the operator has allowed. Pure. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What is wrong with an address; undefined where it is allowed. */
export function addressFault(text: string, hosts: readonly string[]): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return `${text} is no http address`;
  if (url.username !== '' || url.password !== '') return 'an address with a password in it is not kept';
  if (LOOPBACK.test(url.hostname)) return undefined;
  if (!hosts.includes(url.hostname)) return `${url.hostname} is not among the hosts that are allowed`;
  return url.protocol === 'https:' ? undefined : 'beyond this machine only https is used';
}
