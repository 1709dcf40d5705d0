import type { Planted } from './planted.mjs';

export interface Found {
  readonly seed: number;
  readonly played: number;
  readonly law: string;
  readonly message: string;
}

export function hunt(bug: Planted): Promise<Found | undefined>;
