/** Where one can go. */
interface Place {
  readonly view: string;
  readonly name: string;
  /** Keys that go there. */
  readonly keys: string;
}

export const PLACES: readonly Place[] = [
  { view: 'inbox', name: 'Inbox', keys: 'g i' },
  { view: 'goals', name: 'Goals', keys: 'g g' },
  { view: 'reviews', name: 'Reviews', keys: 'g r' },
  { view: 'recover', name: 'Recover', keys: 'g f' },
  { view: 'candidate', name: 'Candidate', keys: 'g c' },
  { view: 'conflicts', name: 'Conflicts', keys: 'g x' },
  { view: 'knowledge', name: 'Knowledge', keys: 'g k' },
  { view: 'agents', name: 'Agents', keys: 'g a' },
  { view: 'spend', name: 'Spend', keys: 'g s' },
  { view: 'rooms', name: 'Rooms', keys: 'g o' },
  { view: 'repositories', name: 'Repositories', keys: 'g p' },
  { view: 'audit', name: 'Audit', keys: 'g u' },
  { view: 'time', name: 'Time', keys: 'g t' },
  { view: 'settings', name: 'Settings', keys: 'g e' },
];
