/** Images that are blobs of a room: each is fetched once for all who show it, and let go when the last has. */
import type { RoomClient } from '@weft/core/client';

/** An image that is shown in this page. */
export interface ShownImage {
  /** For `src` of an image. */
  readonly url: string;
  /** Lets go of it: to be called when it is not shown any more. */
  release(): void;
}

interface Held {
  users: number;
  readonly url: Promise<string>;
}

const held = new WeakMap<object, Map<string, Held>>();

/**
 * Address of an image in this page. Throws where the room has no such blob, or it is no PNG, JPEG, GIF, WebP or AVIF by its first bytes:
 * what others have stored is never shown as anything that could run, as SVG can where it is opened by itself.
 */
export async function imageUrl(room: { readonly client: RoomClient }, hash: string): Promise<ShownImage> {
  const { client } = room;
  const images = held.get(client) ?? new Map<string, Held>();
  held.set(client, images);
  const image = images.get(hash) ?? { users: 0, url: fetchImage(client, hash) };
  images.set(hash, image);
  image.users++;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    if (--image.users > 0) return;
    if (images.get(hash) === image) images.delete(hash);
    image.url.then(URL.revokeObjectURL, () => undefined);
  };
  try {
    return { url: await image.url, release };
  } catch (error) {
    release(); // the next one tries again
    throw error;
  }
}

async function fetchImage(client: RoomClient, hash: string): Promise<string> {
  const bytes = await client.getBlob(hash);
  if (!bytes) throw new Error(`the room has no blob ${hash}`);
  const type = typeOf(bytes);
  if (type === undefined) throw new Error(`blob ${hash} is no PNG, JPEG, GIF, WebP or AVIF`);
  return URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
}

function typeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF[^]{4}WEBP/.test(head)) return 'image/webp';
  if (/^[^]{4}ftypavi[fs]/.test(head)) return 'image/avif';
  return undefined;
}
