/** A host that speaks by roots of which its room has not heard yet: what those say of its key counts already. [MA3] [MA6] */
import { describe, expect, it } from 'vitest';
import { certifiedAuthority } from '../../access/authority.js';
import { makeMandate } from '../../access/mandate.js';
import { toUtf8 } from '../../codec/bytes/bytes.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { NO_ROOM } from '../../graph/node.js';
import { graphOf, identify } from '../../graph/testing/nodes.js';
import { keyOf, mandate, signerOf, succession } from '../../testing/story.js';
import { HostSpeaker } from './speaker-of.js';
import { Speakers } from './speakers.js';

async function speakerOf(revocations: readonly Uint8Array[]): Promise<HostSpeaker> {
  const ops = [{ kind: 'set', key: '\0genesis', value: encodeValue(1) }] as const;
  const genesis = identify({ room: NO_ROOM, author: keyOf('root'), parents: [], ops });
  const founder = signerOf('founder');
  const authority = certifiedAuthority({
    roots: [keyOf('next')],
    founder,
    founding: await makeMandate('founder', { key: founder.publicKey }, signerOf('next')),
    signer: signerOf('two'),
    certificates: [await mandate('signer', 'next', 'two')],
    successions: [await succession(['next'], ['root'])],
    revocations,
  });
  return new HostSpeaker(
    { signer: founder, authority },
    new Speakers(graphOf([genesis]), new Set([keyOf('root')]), genesis.id),
  );
}

const message = toUtf8('headers');

describe('a host in a room that has not heard of the roots that have certified its key', () => {
  it('[MA6] speaks and signs there, and has the change of roots to say first', async () => {
    const speaker = await speakerOf([await mandate('signer-revoked', 'next', 'another')]);
    expect([speaker.now.publicKey, speaker.hasToSay]).toEqual([keyOf('two'), true]);
    expect(() => speaker.expectVoice()).not.toThrow();
    expect(await speaker.word.sign(message)).toEqual(await signerOf('two').sign(message));
  });

  it('[MA3] [MA6] signs nothing where those roots have revoked it since', async () => {
    const speaker = await speakerOf([await mandate('signer-revoked', 'next', 'two')]);
    const revoked = { reason: 'authority-revoked' };
    expect(() => speaker.expectVoice()).toThrow(expect.objectContaining(revoked));
    await expect(speaker.word.sign(message)).rejects.toMatchObject(revoked);
  });
});
