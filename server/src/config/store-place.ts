/** Place of a store as options name it: a folder, `memory`, or the address of a database. */
const DATABASE = /^postgres(ql)?:\/\//;
/** Hosts of a database behind its first. */
const OTHER_HOSTS = /^([a-z]+:\/\/(?:[^/?#]*@)?[^,/?#@]*)((?:,[^,/?#@]+)+)/;

export function isDatabase(store: string): boolean {
  return DATABASE.test(store);
}

/** Check of a database's address; throws without repeating it, since it may hold a password. */
export function checkStore(store: string): void {
  if (isDatabase(store) && !URL.canParse(store.replace(OTHER_HOSTS, '$1')))
    throw new Error('must be an address such as postgres://user@host:5432/database; write %40 for @ in a password');
}

/** Check of an address that must be that of one database server. */
export function checkDatabase(address: string): void {
  if (!isDatabase(address) || OTHER_HOSTS.test(address))
    throw new Error('must be an address such as postgres://user@host:5432/database, with one host');
  checkStore(address);
}

/** Place as it may be shown: an address without its password. */
export function shownStore(store: string): string {
  if (!isDatabase(store)) return store;
  // By its ends: of a password that was not escaped nothing is left either.
  const from = store.indexOf('://') + 3;
  const at = store.lastIndexOf('@');
  const colon = store.indexOf(':', from);
  const address = colon >= 0 && colon < at ? `${store.slice(0, colon)}:***${store.slice(at)}` : store;
  return address.replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***');
}
