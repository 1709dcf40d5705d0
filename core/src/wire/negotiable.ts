/** Capabilities of a connection: what both sides support is spoken. [CN1] */

/** Each with what a hello without it says: the contract's own three are supported unless denied, ours unless claimed not. */
const NEGOTIABLE = {
  supports_ibf: true,
  supports_mst: true,
  supports_direct_blob_io: true,
  supports_reconcile: false,
  supports_binary: false,
  supports_targeted_relay: false,
} as const;

export type Negotiable = keyof typeof NEGOTIABLE;

export const NEGOTIABLES = Object.keys(NEGOTIABLE) as readonly Negotiable[];

/** Sets of capabilities, one for all who have negotiated the same: connections are many, and what they negotiate is little. */
const negotiated = new Map<string, ReadonlySet<Negotiable>>();

/** What a peer claims and the server offers. Only `true` and `false` are claims. */
export function negotiate(
  claimed: Readonly<Record<string, unknown>>,
  offered: ReadonlySet<Negotiable>,
): ReadonlySet<Negotiable> {
  const names = NEGOTIABLES.filter((name) => {
    const claim = claimed[name];
    return offered.has(name) && (typeof claim === 'boolean' ? claim : NEGOTIABLE[name]);
  });
  const key = names.join();
  const known = negotiated.get(key) ?? new Set(names);
  negotiated.set(key, known);
  return known;
}
