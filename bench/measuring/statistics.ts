/** Middle value; of an even count the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) throw new Error('There is no median of nothing: measure at least once.');
  const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
  return (lower + upper) / 2;
}

/** The value that this share of all values does not exceed: 0.99 answers what 99 of 100 stay within. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is no percentile of nothing: measure at least once.');
  return value;
}

/** Half of the distance between the lowest and the highest value, as a share of the median: 0.05 reads as ±5 %. */
export function spread(numbers: readonly number[]): number {
  const middle = median(numbers);
  if (middle === 0) return 0;
  return (Math.max(...numbers) - Math.min(...numbers)) / 2 / Math.abs(middle);
}

/** What one run measured: name -> number. */
export type Figures = Readonly<Record<string, number>>;

export interface Summary {
  readonly figures: Figures;
  readonly spread: Figures;
}

/** Median and spread of each figure over the runs that have it. */
export function summarise(runs: readonly Figures[]): Summary {
  const samples = new Map<string, number[]>();
  for (const run of runs) {
    for (const [name, value] of Object.entries(run)) {
      const list = samples.get(name);
      if (list === undefined) samples.set(name, [value]);
      else list.push(value);
    }
  }
  const entries = [...samples];
  return {
    figures: Object.fromEntries(entries.map(([name, values]) => [name, median(values)])),
    spread: Object.fromEntries(entries.map(([name, values]) => [name, spread(values)])),
  };
}
