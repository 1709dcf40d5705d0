export const GOALS: readonly string[];

export function openScene(): Promise<{
  readonly origin: string;
  /** Link that lets one page in. */
  link(): string;
  ask(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}>;
