/**
 * Forge port: a place that keeps repositories with issues, requests to merge and checks. What it answers is written by others: it
 * is material. Implementers wait for what the vendor limits, create nothing twice that can be looked up first, and tell of a person
 * whether that person may write to the repository.
 */
export interface Said {
  /** Id, unique among all that is said at one issue or request. */
  readonly id: string;
  readonly author: string;
  /** Whether the author may write to the repository. */
  readonly mayWrite: boolean;
  readonly isBot: boolean;
  readonly text: string;
  readonly at: string;
  /** Place in a file that it is about. */
  readonly path?: string;
  readonly line?: number;
  /** Thread to answer in. */
  readonly threadId?: string;
  /** Verdict of a review. */
  readonly verdict?: 'approved' | 'changes_requested';
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly authorMayWrite: boolean;
  readonly url: string;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
  readonly comments: readonly Said[];
}

export interface Request {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'merged' | 'closed';
  /** Branch that it is to be merged into, which people may change there. */
  readonly base: string;
  /** Commit that its branch is at. */
  readonly head: string;
  /** Commit that it came into its base as. */
  readonly mergedAs?: string | undefined;
  readonly mergedBy?: string | undefined;
}

export interface RequestWish {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** Form in which a request is merged. Where a project decides that itself, as at GitLab for a rebase, it is a wish. */
export interface MergeWish {
  /** Commit that its branch has to be at. */
  readonly head: string;
  readonly form: 'merge' | 'squash' | 'rebase';
}

export interface Check {
  readonly id: string;
  readonly name: string;
  readonly state: 'pending' | 'passed' | 'failed';
  readonly url?: string | undefined;
  /** What it says of its failure, the end of it. */
  readonly said: string;
}

export interface Forge {
  /** Login that the token acts as. */
  me(): Promise<string>;
  issue(number: number): Promise<Issue>;
  /** Numbers of open issues with a label. */
  labelled(label: string): Promise<number[]>;
  /** Numbers of open issues that were opened or spoken in since, the newest first, a hundred at most. */
  changed(since: string): Promise<number[]>;
  /** Writes a comment, or changes the one of ours that holds the mark. */
  say(number: number, kind: 'issue' | 'request', mark: string, text: string): Promise<void>;
  /** Opens a request for a branch; one that is open for it already is that. */
  open(wish: RequestWish): Promise<Request>;
  update(number: number, change: { readonly title?: string; readonly body?: string }): Promise<void>;
  request(number: number): Promise<Request>;
  /** Merges an open request, as whoever has the token. */
  merge(number: number, wish: MergeWish): Promise<void>;
  /** What people say at a request: comments, reviews, and remarks on lines. */
  said(number: number): Promise<Said[]>;
  /** Answers in a thread, once: a mark of ours is looked for first. */
  reply(number: number, threadId: string, mark: string, text: string): Promise<void>;
  checks(commit: string): Promise<Check[]>;
}

export type ForgeKind = 'github' | 'gitlab' | 'gitea';

export interface ForgeAddress {
  readonly kind: ForgeKind;
  /** Base of its API, such as `https://api.github.com`. */
  readonly api: string;
  /** Path of the repository, such as `owner/name`. */
  readonly project: string;
}
