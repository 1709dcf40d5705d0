/** Case of who speaks for a room: a story, and what replicas and servers make of its nodes. */
import type { Story } from '../story.js';

export interface AuthorityCase {
  readonly name: string;
  readonly rule: string;
  readonly title: string;
  readonly story: Story;
  readonly steps: readonly {
    readonly nodes: readonly string[];
    /** Reasons by the name of the node. */
    readonly refused?: Readonly<Record<string, string>>;
    /** Answers of a server, where they are others. */
    readonly byServer?: Readonly<Record<string, string>>;
  }[];
}
