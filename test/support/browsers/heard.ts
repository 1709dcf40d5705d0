/** What somebody who can't see has of a page: Chromium's accessibility tree, in the order in which it is read. */
import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';

export interface Heard {
  readonly role: string;
  readonly name: string;
  readonly level?: number;
  readonly isFocused: boolean;
  readonly canBeFocused: boolean;
  /** How a change below it is told: `polite`, `assertive`. */
  readonly live?: string;
  /** What is below it, as text. */
  readonly text: string;
}

interface AxNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly childIds?: readonly string[];
  readonly parentId?: string;
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

export class Listener {
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async of(page: Page): Promise<Listener> {
    const session = await page.context().newCDPSession(page);
    await session.send('Accessibility.enable');
    return new Listener(page, session);
  }

  /** The whole tree as it is read, without what is hidden from it. */
  async all(): Promise<readonly Heard[]> {
    const { nodes } = (await this.#session.send('Accessibility.getFullAXTree')) as { nodes: readonly AxNode[] };
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const textOf = ({ role, name, childIds = [] }: AxNode): string =>
      role?.value === 'StaticText'
        ? (name?.value ?? '')
        : childIds.map((id) => textOf(byId.get(id) ?? { nodeId: id, ignored: true })).join('');
    const found: Heard[] = [];
    const walk = (node: AxNode): void => {
      if (!node.ignored) found.push(heardOf(node, textOf(node)));
      for (const id of node.childIds ?? []) {
        const child = byId.get(id);
        if (child) walk(child);
      }
    };
    const root = nodes.find(({ parentId }) => parentId === undefined);
    if (root) walk(root);
    return found;
  }

  async with(role: string): Promise<readonly string[]> {
    return (await this.all()).filter((one) => one.role === role).map(({ name }) => name);
  }

  /** Waits until something of this role and name is told of. */
  async hears(role: string, name: string | RegExp): Promise<void> {
    const isIt = (one: Heard): boolean =>
      one.role === role && (typeof name === 'string' ? one.name === name : name.test(one.name));
    await expect.poll(async () => (await this.all()).some(isIt), { message: `${role} ${name}` }).toBe(true);
  }

  /** What has the focus, as it is told. */
  async focus(): Promise<string> {
    const focused = (await this.all()).filter((one) => one.isFocused && one.role !== 'RootWebArea').at(-1);
    return focused === undefined ? '' : `${focused.role} ${focused.name}`;
  }

  /** Presses Tab until this is told as what has the focus. Answers what was passed on the way. */
  async tabTo(told: string): Promise<readonly string[]> {
    const passed: string[] = [];
    for (let presses = 0; presses < 80; presses++) {
      const now = await this.focus();
      if (now === told) return passed;
      passed.push(now);
      await this.#page.keyboard.press('Tab');
    }
    throw new Error(`no Tab leads to ${told}, but to ${passed.join(', ')}`);
  }

  /** Text that is told when it changes, of places that wait for no one to look. */
  async told(): Promise<string> {
    const roots = (await this.all()).filter(({ live }) => live === 'polite' || live === 'assertive');
    return roots.map(({ text }) => text).join('\n');
  }
}

function heardOf({ role, name, properties = [] }: AxNode, text: string): Heard {
  const of = (property: string): unknown => properties.find((one) => one.name === property)?.value.value;
  const [level, live] = [of('level'), of('live')];
  return {
    role: role?.value ?? '',
    name: name?.value ?? '',
    isFocused: of('focused') === true,
    canBeFocused: of('focusable') === true,
    text,
    ...(typeof level === 'number' ? { level } : {}),
    ...(typeof live === 'string' ? { live } : {}),
  };
}
