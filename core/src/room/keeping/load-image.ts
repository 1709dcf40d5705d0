/** Loading of an image, with the files that it names. */
import { DecodeError } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images } from '../../ports/store.js';
import type { OpenedImage, RoomState } from '../state/room-state.js';

/** Into an empty state. Throws a `DecodeError` where a file is not what was written; `room` is the one whose image it is. */
export async function loadImage(
  state: RoomState,
  opened: OpenedImage,
  room: RoomId,
  images: Pick<Images, 'ids'>,
): Promise<void> {
  if (opened.files.length === 0) return state.load(opened);
  const filed = await images.ids?.open(room, opened.files);
  if (!filed) throw new DecodeError('an image whose files of ids are not there');
  try {
    state.load(opened, filed);
  } catch (error) {
    throw filed.fault ? new DecodeError(filed.fault.message) : error;
  }
}
