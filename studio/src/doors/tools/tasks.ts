/**
 * Tasks (the extension `io.modelcontextprotocol/tasks` of the revision of 2026-07-28): a call whose work goes on is answered with
 * the id of a task, by which the client reads how it stands, answers what it is asked and ends it. Only a client that says in the
 * request that it takes tasks is given one.
 */
import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/server';

export const TASKS = 'io.modelcontextprotocol/tasks';
/** How often clients are asked to look again. */
const POLL_MS = 2000;

export interface TaskStanding {
  readonly taskId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** What a person or a model should know of it now. */
  readonly statusMessage?: string;
}

/** What is special to each state. `failed` is for errors of the protocol alone; a result may say itself that it is an error. */
export type TaskState =
  | { readonly status: 'working' | 'cancelled' }
  | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } };

export type Task = TaskStanding & TaskState;

/** Answer to a call whose work goes on. The protocol library gives every answer to a tool call a list of content. */
export type TaskCreated = CallToolResult & { readonly resultType: 'task'; readonly taskId: string };

/** A task that is there, for one caller. */
export interface OfferedTask {
  /** Task as it stands now. A client that can show forms is given what is asked. */
  get(capabilities: ClientCapabilities | undefined): Promise<Task>;
  /** Takes answers; those to what is not asked any more are passed over. */
  update(inputResponses: Readonly<Record<string, unknown>>): Promise<void>;
  /** Asks for its end. What is over stays as it is. */
  cancel(): Promise<void>;
}

export function takesTasks(capabilities: { readonly extensions?: object | undefined } | undefined): boolean {
  return TASKS in (capabilities?.extensions ?? {});
}

export function requireTasks(capabilities: ClientCapabilities | undefined): void {
  if (!takesTasks(capabilities)) throw tasksMissing();
}

export function tasksMissing(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}

/** A task as it is sent. It is kept as long as what it is about, which has no end. */
export function shownTask(task: Task) {
  return { ...task, ttlMs: null, pollIntervalMs: POLL_MS };
}

/** What a call is answered with: the task without what only reading it tells. */
export function created({ taskId, createdAt, lastUpdatedAt, statusMessage }: TaskStanding): TaskCreated {
  const standing = { taskId, createdAt, lastUpdatedAt, ...(statusMessage === undefined ? {} : { statusMessage }) };
  return { resultType: 'task', content: [], ...shownTask({ ...standing, status: 'working' }) };
}

export function isTaskCreated(result: object): result is TaskCreated {
  return 'resultType' in result && result.resultType === 'task';
}
