/** The exact names that each package offers at run time. A change here is a change for every user. */
import { expect, it } from 'vitest';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '@weft/core': [
    'BlobRef',
    'CLOSE',
    'DecodeError',
    'LIMITS',
    'METRICS',
    'NODE_REASONS',
    'PROTOCOLS',
    'REASONS',
    'Rejection',
    'StoreError',
    'commandTable',
    'connectRoom',
    'createHost',
    'createReplica',
    'decodePack',
    'encodePack',
    'fromBase64',
    'fromHex',
    'generateKeys',
    'isReserved',
    'parseRoomId',
    'signProof',
    'signToken',
    'systemClock',
    'toBase64',
    'toHex',
    'verifyForkProof',
    'verifyRegister',
  ],
  '@weft/core/memory': ['memoryStore'],
  '@weft/core/level': ['levelStore', 'privateFile'],
  '@weft/core/client': ['connectRoom', 'createReplica', 'generateKeys', 'signProof'],
  '@weft/core/testing': [
    'ManualClock',
    'inProcessSocket',
    'nativeCrypto',
    'nativeSha256',
    'portableCrypto',
    'portableSha256',
    'storeBattery',
    'testPeer',
  ],
  '@weft/server': ['createMetrics', 'formatAddress', 'parseAddress', 'startServer'],
  '@weft/studio': [
    'CONTRACT_VERSION',
    'STUDIO_REASONS',
    'STUDIO_VERSION',
    'TOKENS_FILE',
    'WORKGROUP_ROOM',
    'loadTokens',
    'newTokens',
    'openApiDocument',
    'operationTable',
    'renderStudioDocs',
    'startStudio',
    'toolList',
  ],
  weft: ['cliCommands', 'renderCliDocs', 'run'],
};

it.each(Object.entries(NAMES))('%s', async (entry, names) => {
  const found: object = await import(entry);
  expect(Object.keys(found).sort()).toEqual([...names].sort());
});
