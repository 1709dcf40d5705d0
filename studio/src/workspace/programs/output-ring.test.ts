import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputRing } from './output-ring.js';

describe('a ring of output', () => {
  it('keeps all of little, and the beginning and the end of much', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (pieces) => {
        const text = Buffer.from(pieces.flatMap((piece) => [...piece].map((byte) => 97 + (byte % 26)))).toString();
        const ring = new OutputRing(64);
        let at = 0;
        for (const { length } of pieces) ring.add(Buffer.from(text.slice(at, (at += length))));
        if (text.length <= 64) expect(ring.text()).toBe(text);
        else expect(ring.text()).toBe(`${text.slice(0, 16)}\n[${text.length - 64} bytes left out]\n${text.slice(-48)}`);
        expect(ring.truncated).toBe(text.length > 64);
      }),
    );
  });

  it('fault 13: takes a flood, half characters, colours and NUL in bounded memory', () => {
    const ring = new OutputRing(1 << 10);
    const piece = Buffer.alloc(1 << 16, 'x');
    let most = 0;
    for (let i = 0; i < 1 << 14; i++) {
      ring.add(piece);
      most = Math.max(most, ring.heldBytes);
    }
    expect(most).toBeLessThan(1 << 17);
    ring.add(Buffer.from([0xc3]));
    expect(ring.text()).toHaveLength((1 << 10) + '\n[1073740801 bytes left out]\n'.length);
    const odd = new OutputRing(100);
    for (const byte of Buffer.from('\x1b[31mü\0\x1b[0m\r\n')) odd.add(Buffer.from([byte]));
    expect(odd.text()).toBe('ü\ufffd\n');
  });
});
