import type { Sabotage } from './table.d.mts';

export function noticed(sabotage: Sabotage): Promise<string | undefined>;
