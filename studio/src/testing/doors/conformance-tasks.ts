/**
 * Tools of the official conformance suite whose work goes on as a task: it sleeps, fails, asks and is cancelled. The tasks are in
 * memory, behind the same door as those of the studio.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  type InputRequests,
  inputRequired,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OfferedTool } from '../../doors/tools/offer.js';
import { type OfferedTask, type TaskState, created, requireTasks, takesTasks } from '../../doors/tools/tasks.js';

interface Work {
  /** Aborted when the task is cancelled. */
  readonly signal: AbortSignal;
  ask(questions: InputRequests): Promise<Readonly<Record<string, unknown>>>;
}

class TestTask implements OfferedTask {
  readonly taskId = randomUUID();
  readonly createdAt = new Date().toISOString();
  lastUpdatedAt = this.createdAt;
  #state: TaskState = { status: 'working' };
  readonly #cancelling = new AbortController();
  #answers: Record<string, unknown> = {};
  #answered: (() => void) | undefined;

  constructor(work: (during: Work) => Promise<TaskState>) {
    const { signal } = this.#cancelling;
    work({ signal, ask: (questions) => this.#ask(questions) }).then(
      (ended) => this.#become(signal.aborted ? { status: 'cancelled' } : ended),
      (error: Error) => {
        const failed = { code: ProtocolErrorCode.InternalError, message: error.message };
        this.#become(signal.aborted ? { status: 'cancelled' } : { status: 'failed', error: failed });
      },
    );
  }

  get = () => {
    const { taskId, createdAt, lastUpdatedAt } = this;
    return Promise.resolve({ taskId, createdAt, lastUpdatedAt, ...this.#state });
  };

  update = (said: Readonly<Record<string, unknown>>) => {
    if (this.#state.status !== 'input_required') return Promise.resolve();
    const open = Object.entries(this.#state.inputRequests);
    for (const [key] of open) if (key in said) this.#answers[key] = said[key];
    const left = open.filter(([key]) => !(key in said));
    this.#become(
      left.length > 0 ? { status: 'input_required', inputRequests: Object.fromEntries(left) } : { status: 'working' },
    );
    if (left.length === 0) this.#answered?.();
    return Promise.resolve();
  };

  cancel = () => {
    this.#cancelling.abort();
    this.#answered?.();
    return Promise.resolve();
  };

  #ask(inputRequests: InputRequests): Promise<Readonly<Record<string, unknown>>> {
    this.#become({ status: 'input_required', inputRequests });
    return new Promise((resolve) => {
      this.#answered = () => resolve(this.#answers);
    });
  }

  #become(state: TaskState): void {
    this.#state = state;
    this.lastUpdatedAt = new Date().toISOString();
  }
}

const tasks = new Map<string, TestTask>();

export function conformanceTask(id: string): OfferedTask | undefined {
  return tasks.get(id);
}

function says(text: string, more: object = {}): CallToolResult {
  return { content: [{ type: 'text', text }], ...more };
}

const done = (result: CallToolResult): TaskState => ({ status: 'completed', result });

function begun(work: (during: Work) => Promise<TaskState>) {
  const task = new TestTask(work);
  tasks.set(task.taskId, task);
  return Promise.resolve(created(task));
}

const slow = z.object({ seconds: z.number().default(0) });
const named = z.object({ name: z.string().default('nobody') });

const confirm = (message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
  });
const who = inputRequired.elicit({
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
});
const theName = z.object({ content: z.object({ name: z.string() }) });

export const TASK_CALLS: Readonly<Record<string, OfferedTool['call']>> = {
  greet: (input) => Promise.resolve(says(`Hello, ${named.parse(input).name}!`)),
  async slow_compute(input, _key, { capabilities }) {
    const { seconds } = slow.parse(input);
    const work = async (signal?: AbortSignal) => {
      await sleep(seconds * 1000, undefined, { signal });
      return says(`After ${seconds} s.`);
    };
    return takesTasks(capabilities) ? begun(async ({ signal }) => done(await work(signal))) : work();
  },
  failing_job(_input, _key, { capabilities }) {
    requireTasks(capabilities);
    return begun(() => Promise.resolve(done(says('It fails, as it should.', { isError: true }))));
  },
  protocol_error_job(_input, _key, { capabilities }) {
    requireTasks(capabilities);
    return begun(() => Promise.reject(new Error('it breaks, as it should')));
  },
  confirm_delete(_input, _key, { capabilities }) {
    requireTasks(capabilities);
    return begun(async ({ ask }) => {
      await ask({ [randomUUID()]: confirm('Delete it?') });
      return done(says('Deleted.'));
    });
  },
  multi_input(_input, _key, { capabilities }) {
    requireTasks(capabilities);
    return begun(async ({ ask }) => {
      await ask({ [randomUUID()]: confirm('This?'), [randomUUID()]: confirm('And that?') });
      return done(says('Both.'));
    });
  },
  async test_tool_with_task(_input, _key, { capabilities, mcpReq: { inputResponses } }) {
    requireTasks(capabilities);
    const { data } = theName.safeParse(inputResponses?.user_name);
    if (!data) return inputRequired({ inputRequests: { user_name: who } });
    return begun(() => Promise.resolve(done(says(`Hello, ${data.content.name}!`))));
  },
};
