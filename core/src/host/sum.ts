export function sumOf<T>(items: Iterable<T>, amount: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += amount(item);
  return sum;
}
