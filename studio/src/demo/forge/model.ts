/** A forge's own state, over a real bare repository: what people do there, and what its interfaces show of it. */
import { plainGit } from './http-git.js';

export interface User {
  readonly id: number;
  readonly login: string;
  readonly mayWrite: boolean;
  readonly isBot: boolean;
}

export interface Comment {
  readonly id: number;
  readonly author: User;
  body: string;
  readonly at: string;
  readonly path?: string;
  readonly line?: number;
  /** First remark of its thread. */
  readonly replyTo?: number;
  readonly reviewId?: number;
}

export interface Review {
  readonly id: number;
  readonly author: User;
  readonly body: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  readonly at: string;
}

export interface IssueState {
  readonly number: number;
  title: string;
  body: string;
  readonly author: User;
  isOpen: boolean;
  readonly labels: string[];
  readonly comments: Comment[];
  /** When it was opened or last spoken in, by the clock of this machine. */
  changedAt: string;
}

export type MergeForm = 'merge' | 'squash' | 'rebase';

export interface RequestState extends IssueState {
  readonly branch: string;
  readonly base: string;
  readonly reviews: Review[];
  readonly remarks: Comment[];
  mergedAs?: string;
  mergedBy?: User;
  mergeForm?: MergeForm;
  /** Head at its end. */
  lastHead?: string;
}

export interface CheckState {
  readonly id: number;
  readonly name: string;
  readonly commit: string;
  state: 'pending' | 'passed' | 'failed';
  readonly said: string;
}

export class ForgeModel {
  readonly users: User[] = [];
  readonly issues: IssueState[] = [];
  readonly requests: RequestState[] = [];
  readonly checks: CheckState[] = [];
  readonly bare: string;
  /** Why no request may be merged by its interface, as where a branch is protected. */
  refusesMerges: string | undefined;
  /** Whether issues and requests share their numbers. */
  readonly #shares: boolean;
  #ids = 100;
  #minutes = 0;

  constructor(bare: string, shares: boolean) {
    this.bare = bare;
    this.#shares = shares;
  }

  user(login: string, { mayWrite = true, isBot = false } = {}): User {
    const found = this.users.find((one) => one.login === login);
    if (found) return found;
    const made = { id: this.#newId(), login, mayWrite, isBot };
    this.users.push(made);
    return made;
  }

  openIssue(author: User, title: string, body: string, labels: readonly string[] = []): IssueState {
    const number = this.#shares ? this.issues.length + this.requests.length + 1 : this.issues.length + 1;
    const changedAt = new Date().toISOString();
    const issue = { number, title, body, author, isOpen: true, labels: [...labels], comments: [], changedAt };
    this.issues.push(issue);
    return issue;
  }

  async openRequest(
    author: User,
    given: Pick<RequestState, 'title' | 'body' | 'branch' | 'base'>,
  ): Promise<RequestState | string> {
    if ((await this.head(given.branch)) === undefined) return 'head does not exist';
    if ((await this.head(given.base)) === undefined) return 'base does not exist';
    if (this.requests.some(({ branch, isOpen }) => isOpen && branch === given.branch))
      return 'a request already exists';
    const number = this.#shares ? this.issues.length + this.requests.length + 1 : this.requests.length + 1;
    const request: RequestState = {
      ...given,
      number,
      author,
      isOpen: true,
      labels: [],
      comments: [],
      reviews: [],
      remarks: [],
      changedAt: new Date().toISOString(),
    };
    this.requests.push(request);
    return request;
  }

  comment(on: IssueState, author: User, body: string): Comment {
    const comment = { id: this.#newId(), author, body, at: this.#now() };
    on.comments.push(comment);
    on.changedAt = new Date().toISOString();
    return comment;
  }

  remark(
    on: RequestState,
    author: User,
    given: Pick<Comment, 'body' | 'path' | 'line' | 'replyTo' | 'reviewId'>,
  ): Comment {
    const comment = { id: this.#newId(), author, at: this.#now(), ...given };
    on.remarks.push(comment);
    return comment;
  }

  review(on: RequestState, author: User, state: Review['state'], body: string): Review {
    const review = { id: this.#newId(), author, body, state, at: this.#now() };
    on.reviews.push(review);
    return review;
  }

  check(commit: string, name: string, state: CheckState['state'], said = ''): CheckState {
    const check = { id: this.#newId(), name, commit, state, said };
    this.checks.push(check);
    return check;
  }

  async head(branch: string): Promise<string | undefined> {
    return plainGit(this.bare, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).catch(() => undefined);
  }

  async headOf({ branch, lastHead }: RequestState): Promise<string> {
    return lastHead ?? (await this.head(branch)) ?? '0'.repeat(40);
  }

  /** Merges a request, as one of its buttons does. */
  async merge(request: RequestState, by: User, form: MergeForm = 'merge'): Promise<string> {
    const [base, head] = [(await this.head(request.base)) ?? '', await this.headOf(request)];
    const who = ['-c', `user.name=${by.login}`, '-c', `user.email=${by.login}@forge.test`];
    const made = (tree: string, parents: readonly string[], message: string): Promise<string> => {
      const named = parents.flatMap((parent) => ['-p', parent]);
      return plainGit(this.bare, [...who, 'commit-tree', tree, ...named, '-m', message]);
    };
    let commit = base;
    if (form === 'rebase') {
      const own = await plainGit(this.bare, ['rev-list', '--reverse', `${base}..${head}`]);
      for (const one of own.split('\n')) {
        // What the commits before it have changed is the same on both sides.
        const tree = await this.#mergedTree(commit, one);
        commit = await made(tree, [commit], `Commit of request ${request.number}`);
      }
    } else {
      const parents = form === 'squash' ? [base] : [base, head];
      commit = await made(await this.#mergedTree(base, head), parents, `Merge request ${request.number}`);
    }
    await plainGit(this.bare, ['update-ref', `refs/heads/${request.base}`, commit, base]);
    Object.assign(request, { isOpen: false, mergedAs: commit, mergedBy: by, mergeForm: form, lastHead: head });
    return commit;
  }

  #mergedTree(ours: string, theirs: string): Promise<string> {
    return plainGit(this.bare, ['merge-tree', '--write-tree', ours, theirs]);
  }

  #newId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  #now(): string {
    this.#minutes += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minutes)).toISOString();
  }
}
