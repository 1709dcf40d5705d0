/** Remotes and forges over TLS, with certificates that only an authority of one's own vouches for, as in many companies. */
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startForgeServer } from '../../testing/git/forge-at-work.js';
import { git } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startWeft } from '../../testing/models/weft-program.js';
import { CertificateAuthority } from '../../workspace/egress/certificates.js';

/** TLS before a server of this machine; answers its origin. */
async function encrypted(origin: string, authority: CertificateAuthority): Promise<string> {
  const { port } = new URL(origin);
  const front = createServer({ SNICallback: (name, done) => done(null, authority.contextOf(name)) }, (near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const one of [near, far]) one.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  front.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  return `https://localhost:${(front.address() as AddressInfo).port}`;
}

it.each(['a file that git is told of', 'settings of git'] as const)(
  'what an authority of one’s own vouches for is cloned, fetched, pushed to and looked at by %s, and by nobody else',
  async (how) => {
    // What the machine of the test trusts is not meant.
    vi.stubEnv('GIT_SSL_CAINFO', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await startForgeServer('github');
    const authority = new CertificateAuthority();
    const base = await tempFolder();
    const [file, config] = [join(base, 'corp.pem'), join(base, 'gitconfig')];
    await writeFile(file, authority.pem);
    await writeFile(config, how === 'settings of git' ? `[http]\n\tsslCAInfo = ${file}\n` : '');
    const origin = await encrypted(server.git.origin, authority);
    const url = `${origin.replace('//', `//${server.git.credentials}@`)}/team/project.git`;
    const models = {
      model: { provider: 'scripted' },
      script: 'script.jsonl',
      keys: { github: { env: 'FORGE_TOKEN' } },
    };
    await writeFile(join(base, 'script.jsonl'), JSON.stringify({ script: 1 }));
    await writeFile(join(base, 'models.json'), JSON.stringify(models));
    const common = { FORGE_TOKEN: server.token, GIT_CONFIG_GLOBAL: config, WEFT_REMOTES: 'https' };
    const start = (env: Readonly<Record<string, string>>) =>
      startWeft(base, ['--models', join(base, 'models.json')], { ...common, ...env });

    await writeFile(config, '');
    const strange = await start({});
    const clone = { url, targetPath: join(base, 'mine') };
    const refusedClone = await strange.post('/repositories/clone', clone);
    expect(refusedClone, JSON.stringify(refusedClone.json)).toMatchObject({
      status: 409,
      json: { code: 'reject.remote_host_unknown' },
    });
    await strange.kill();

    await rm(join(base, 'mine'), { recursive: true, force: true });
    await writeFile(config, how === 'settings of git' ? `[http]\n\tsslCAInfo = ${file}\n` : '');
    const told = how === 'settings of git' ? {} : { GIT_SSL_CAINFO: file };
    const half = await start(told);
    const made = await half.post('/repositories/clone', clone);
    expect(made.status, JSON.stringify(made.json)).toBe(200);
    const path = `/repositories/${String(made.json['repositoryId'])}`;
    await half.post('/branches', { name: 'idea', fromBranchId: 'main' });
    await half.post('/branches/idea/resync-files', { files: [{ path: 'a', content: '2\n' }], deletedPaths: [] });
    expect((await half.post(`${path}/fetch`)).status).toBe(200);
    expect(await half.post(`${path}/push`, { branchId: 'idea' })).toMatchObject({ json: { moved: true } });
    expect(await git(server.model.bare, 'show', 'idea:a')).toBe('2');
    // What git trusts is not what Node trusts, and whoever looks is told what would be.
    await half.ask('PUT', `${path}/forge`, { kind: 'github', api: `${origin}/api/v3`, project: 'team/project' });
    const looked = await half.post(`${path}/forge/look`);
    expect(JSON.stringify(looked.json['troubles'])).toMatch(/certificate is not trusted.*NODE_EXTRA_CA_CERTS/);
    expect(server.asked).toEqual([]);
    await half.kill();

    const whole = await start({ ...told, NODE_EXTRA_CA_CERTS: file });
    expect(await whole.post(`${path}/forge/look`)).toMatchObject({ json: { troubles: [], hasToken: true } });
    expect(server.asked.length).toBeGreaterThan(0);
    await whole.kill();
  },
  120_000,
);
