/** A server whose processes sign with keys of their own, with the files of its operator: roots, authority, data. */
import { join } from 'node:path';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft } from '../support/programs/weft-run.js';

export const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;
export const TAKEN = /what roots have said was taken in/;

export class Site {
  readonly folder: string;
  readonly data: string;
  readonly file: string;

  constructor(folder: string) {
    this.folder = folder;
    [this.data, this.file] = [join(folder, 'data'), join(folder, 'authority.json')];
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  async say(...words: string[]): Promise<string> {
    const { code, out, err } = await weft('authority', ...words, '--authority', this.file);
    if (code !== 0) throw new Error(err);
    return out;
  }

  async request(isNew = false): Promise<{ readonly founder: string; readonly signer: string }> {
    const { out } = await weft('authority', 'request', '--store', this.data, '--json', ...(isNew ? ['--new'] : []));
    return JSON.parse(out) as { readonly founder: string; readonly signer: string };
  }

  /** Certifies a key of the server, a new one where that is said, by a root. */
  async certify(root: string, isNew = false, ...more: string[]): Promise<string> {
    const { founder, signer } = await this.request(isNew);
    await this.say('certify', '--root', this.at(root), '--founder', founder, '--signer', signer, ...more);
    return signer;
  }

  serve(...words: string[]): WeftRun {
    return new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', this.data, '--authority', this.file, ...words]);
  }

  /** Words of an operator to the server that runs here. */
  async room(...words: string[]): Promise<Readonly<Record<string, unknown>>> {
    const { code, out, err } = await weft(...words, '--store', this.data, '--json');
    if (code !== 0) throw new Error(err);
    return JSON.parse(out) as Readonly<Record<string, unknown>>;
  }
}

export async function certified(...more: string[]): Promise<Site> {
  const site = new Site(await tempFolder());
  await site.say('init', '--root', site.at('root.key'));
  await site.certify('root.key', false, ...more);
  return site;
}
