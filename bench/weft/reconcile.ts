// What the benches use of reconciliation. No public name leads there yet, so this is the only file that takes it from the
// sources of the core; the bundle of the benches holds it.
export { HeldIds } from '#core/reconcile/held-ids';
export { type Dialogue, talk } from '#core/reconcile/testing/dialogue';
export { WrittenRoom, idsOf, lackedBy } from '#core/reconcile/testing/rooms';
