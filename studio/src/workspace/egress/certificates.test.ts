import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { CertificateAuthority } from './certificates.js';

it('certificates are read whatever the length of what stands in them', () => {
  for (let round = 0; round < 20; round++) {
    const { pem } = new CertificateAuthority();
    expect(pem).not.toContain('\n\n');
    expect(new X509Certificate(pem).ca).toBe(true);
  }
});

it('a server is known by what its authority vouches for, and by nobody else', async () => {
  const authority = new CertificateAuthority();
  const server = createServer({ SNICallback: (name, done) => done(null, authority.contextOf(name)) }, (socket) =>
    socket.end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const known = (ca: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, servername: 'registry.test', ca: [ca] }, () => {
        resolve('known');
        socket.end();
      });
      socket.on('error', ({ message }) => resolve(message));
    });
  expect(await known(authority.pem)).toBe('known');
  expect(await known(new CertificateAuthority().pem)).toMatch(/verify|signed|signature/);
  server.close();
});
