/** A bar beside those of other rows, all of one scale; a limit is a line across it, and a bar that comes near it says so by its colour. */
import { count } from './ui.js';

/** Share of a limit from which on it is near. */
const NEAR = 0.8;

export function Bar({
  value,
  most,
  limit,
  label,
}: {
  readonly value: number;
  /** End of the scale. */
  readonly most: number;
  readonly limit?: number | undefined;
  readonly label: string;
}) {
  const isNear = limit !== undefined && value >= limit * NEAR;
  const at = (number: number): number => (number / most) * 100;
  const said = limit === undefined ? count(value) : `${count(value)}, limit ${count(limit)}`;
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={`${label}: ${said}`}>
      <title>{said}</title>
      <rect class="scale" width="100" height="10" />
      <rect class={isNear ? 'near' : 'used'} width={at(value)} height="10" />
      {limit !== undefined && <line x1={at(limit)} x2={at(limit)} y1="0" y2="10" />}
    </svg>
  );
}
