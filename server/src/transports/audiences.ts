/**
 * Multicast: readers who get the same frames, turn after turn, get them by one call.
 *
 * uWebSockets.js hands what is published to a topic to each of its members. Who belongs together is seen from what goes
 * out: those who see a whole room, in one encoding, are written the very same frames. Whoever was not, because it wrote
 * them, sees a part or has others to take first, is left out. Invariant: each reader is sent what was written to it, in
 * order and nothing else, whether it is a member or not; and a member is asked how much it holds before that is much.
 */
import { atTurnEnd, forEachOf } from './turn-end.js';

/** Least readers of a topic: for fewer it is not worth its upkeep. */
const LEAST = 8;

/**
 * Hysteresis: so many turns alike make a reader a member, and as many unlike end that, since either costs as much as
 * some frames.
 */
const STEADY_TURNS = 8;

/**
 * Largest share of members left out of a publication, one in so many: leaving one out takes calls too. Above it, each
 * reader gets a call of its own.
 */
const ABSENT_SHARE = 8;

/** Bytes published before members are asked how many wait for them. */
const LOOK_BYTES = 64 * 1024;

/** Number of other readers with whose frames a reader's are compared. */
const RECENT = 4;

export type Sent = string | Uint8Array;

export interface Reader {
  /** Frames that go to it at the end of this turn. */
  readonly frames: readonly Sent[];
  topic: Topic | undefined;
  /** Turns in a row in which it got what the others got. */
  steadyTurns: number;
  /** Sends its frames to it alone. */
  flush(): void;
  /** Drops its frames: they have gone out to its topic. */
  settle(): void;
  /** Asks the native code how many bytes wait for it there: with too many it is written to no more. */
  look(): void;
  subscribe(topic: Topic): void;
  unsubscribe(topic: Topic): void;
  /** Publishes to all members of a topic but itself. */
  publish(topic: Topic, frame: Sent): void;
}

export interface Topic {
  readonly name: string;
  readonly members: Set<Reader>;
  /** Bytes published since its members were asked how many wait for them. */
  unseenBytes: number;
}

/** Readers that get the same frames in this turn. */
interface Group {
  readonly frames: readonly Sent[];
  readonly readers: Reader[];
}

export class Audiences {
  readonly #publish: (topic: string, frame: Sent) => void;
  #writing: Reader[] = [];
  #topics = 0;

  constructor(publish: (topic: string, frame: Sent) => void) {
    this.#publish = publish;
  }

  /** Notes that something is to go to this reader at the end of the turn. */
  add(reader: Reader): void {
    if (this.#writing.push(reader) === 1) atTurnEnd(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    const writing = this.#writing;
    this.#writing = [];
    if (writing.length < LEAST) forEachOf(writing, (reader) => reader.flush());
    else forEachOf(grouped(writing), (group) => this.#send(group));
  };

  #send({ frames, readers }: Group): void {
    const topic = readers.length < LEAST ? undefined : (topicOf(readers) ?? this.#newTopic());
    if (topic) this.#tell(topic, frames);
    forEachOf(readers, (reader) => {
      if (reader.frames.length === 0) return;
      reader.flush();
      if (topic) draw(reader, topic);
    });
  }

  /** Publishes to a topic, if the frames are for enough of its members. */
  #tell(topic: Topic, frames: readonly Sent[]): void {
    const { members } = topic;
    if (topic.unseenBytes > LOOK_BYTES) {
      topic.unseenBytes = 0;
      for (const member of members) member.look();
    }
    const present: Reader[] = [];
    const absent: Reader[] = [];
    for (const member of members) (isSame(member.frames, frames) ? present : absent).push(member);
    const isWorthIt = present.length >= LEAST && absent.length <= Math.max(1, present.length / ABSENT_SHARE);
    absent.forEach(isWorthIt && absent.length > 1 ? leave : miss);
    if (!isWorthIt) return;
    const [author] = absent;
    for (const frame of frames) {
      topic.unseenBytes += frame.length;
      if (author?.topic === topic) author.publish(topic, frame);
      else this.#publish(topic.name, frame);
    }
    for (const member of present) {
      member.settle();
      member.steadyTurns = Math.min(STEADY_TURNS, member.steadyTurns + 1);
    }
  }

  #newTopic(): Topic {
    return { name: String(++this.#topics), members: new Set(), unseenBytes: 0 };
  }
}

function topicOf(readers: readonly Reader[]): Topic | undefined {
  return readers.find((reader) => reader.topic)?.topic;
}

/** Counts a turn in which a reader got what this topic's members get. */
function draw(reader: Reader, topic: Topic): void {
  if (reader.topic === topic) return;
  if (reader.topic) return miss(reader);
  if (++reader.steadyTurns < STEADY_TURNS) return;
  reader.topic = topic;
  topic.members.add(reader);
  reader.subscribe(topic);
}

function miss(reader: Reader): void {
  if (--reader.steadyTurns <= 0) leave(reader);
}

function leave(reader: Reader): void {
  const { topic } = reader;
  if (!topic) return;
  reader.topic = undefined;
  reader.steadyTurns = 0;
  topic.members.delete(reader);
  reader.unsubscribe(topic);
}

/**
 * Groups of readers with equal frames. Only the last few are compared: readers of one room are written to one after the
 * other.
 */
function grouped(readers: readonly Reader[]): Group[] {
  const groups: Group[] = [];
  const recent: Group[] = [];
  for (const reader of readers) {
    const { frames } = reader;
    if (frames.length === 0) {
      reader.settle();
      continue;
    }
    const found = recent.findIndex((group) => isSame(group.frames, frames));
    const group = recent[found] ?? { frames, readers: [] };
    group.readers.push(reader);
    if (found === 0) continue;
    if (found < 0) groups.push(group);
    recent.splice(found < 0 ? RECENT - 1 : found, 1);
    recent.unshift(group);
  }
  return groups;
}

function isSame(one: readonly Sent[], other: readonly Sent[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
