import type { AnyRoom, Room } from '@weft/client';
import { imageUrl } from '@weft/client/images';

declare const room: Room<AnyRoom>;
declare const file: File;
declare const picture: HTMLImageElement;

// example: imageUrl
const hash = await room.putBlob(file);
room.replica.setBlob('portrait', hash);
const shown = await imageUrl(room, hash);
picture.src = shown.url;
picture.onload = () => shown.release();
