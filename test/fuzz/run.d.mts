export function fuzz(
  args: readonly string[],
  live?: boolean,
): Promise<{ readonly said: string; readonly code: number }>;
