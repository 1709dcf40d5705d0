/**
 * Batteries for the ports, what tests of embedding applications need, and parts that benches measure by themselves:
 * cryptography, and reconciliation without a socket. No test framework is required.
 */
export { altered } from './testing/altered.js';
export { inProcessSocket } from './testing/in-process-socket.js';
export { ManualClock } from './testing/manual-clock.js';
export { testPeer } from './testing/test-peer.js';
export type { TestPeer } from './testing/test-peer.js';
export { alteredArchive } from './testing/altered-archive.js';
export type { ArchiveChange } from './testing/altered-archive.js';
export { archiveBattery } from './testing/batteries/archive-battery.js';
export type { ArchiveCase } from './testing/batteries/archive-battery.js';
export { blobBattery } from './testing/batteries/blob-battery.js';
export { coldBattery } from './testing/batteries/cold-battery.js';
export type { ColdCase } from './testing/batteries/cold-battery.js';
export { MemoryCold } from './testing/memory-cold.js';
export { aheadBattery } from './testing/batteries/ahead-battery.js';
export { storeBattery } from './testing/batteries/store-battery.js';
export type { BatteryCase, OpenStore } from './testing/batteries/battery.js';
export { nativeCrypto } from './adapters/crypto/native.js';
export { portableCrypto } from './adapters/crypto/portable.js';
export { nativeSha256, portableSha256 } from './codec/bytes/hash.js';
export { parseFrame } from './wire/frame.js';
export type { Frame } from './wire/frame.js';
export { HeldIds } from './reconcile/held-ids.js';
export { talk } from './reconcile/testing/dialogue.js';
export type { Dialogue, DialogueOptions } from './reconcile/testing/dialogue.js';
export { WrittenRoom, idsOf, lackedBy } from './reconcile/testing/rooms.js';
