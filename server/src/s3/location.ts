/** Location of a bucket as an operator writes it: `s3://bucket/prefix?endpoint=https://…&region=…`. */
export interface S3Location {
  readonly bucket: string;
  /** Prefix of every object's name; empty, or ends with a slash. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
}

export function parseS3Location(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(url.hostname)) {
    throw new Error('must be like s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('keys do not go into the address, but into WEFT_…_ACCESS_KEY and WEFT_…_SECRET_KEY');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region');
  if (unknown !== undefined) throw new Error(`has endpoint and region behind the question mark, not ${unknown}`);
  const region = url.searchParams.get('region') ?? 'us-east-1';
  const endpoint = (url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/.test(endpoint)) throw new Error('the endpoint must begin with https:// or http://');
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  if (prefix !== '' && !/^[\w.~/-]+$/.test(prefix))
    throw new Error('the prefix may hold letters, digits and . _ ~ - / alone');
  return { bucket: url.hostname, prefix: prefix === '' ? '' : `${prefix}/`, endpoint, region };
}
