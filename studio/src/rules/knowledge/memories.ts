/** Memories of repositories: proposed by agents, bounded, and told to later work where a person has confirmed them. */
import { createHash } from 'node:crypto';
import { type Memory, type MemoryGiven, memory } from '../../record/aggregates/memory/memory.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { refusal } from '../../reasons.js';

/** Memories of one repository that wait for a person. */
const MOST_WAITING = 50;

function memoryIdOf(repositoryId: string, text: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([repositoryId, text]))
    .digest('hex');
  return `mem-${digest.slice(0, 16)}`;
}

/** Proposes one; of an agent's only so many wait at a time. Answers what stands under its id, which may have been decided before. */
export function proposeMemory(
  change: Change,
  { memories }: Pick<Records, 'memories'>,
  given: Omit<MemoryGiven, 'memoryId'>,
): Memory {
  const { repositoryId } = given;
  const text = given.text.trim();
  const memoryId = memoryIdOf(repositoryId, text);
  const waiting = memories.where('repository', repositoryId).filter(({ status }) => status === 'Proposed');
  const isOfAgent = given.workUnitId !== undefined;
  if (isOfAgent && !change.state(memory, memoryId) && waiting.length >= MOST_WAITING)
    throw refusal('reject.too_many_memories', `${MOST_WAITING} memories of this repository wait for a person`, {
      repositoryId,
    });
  return change.run(memory, memoryId, 'propose', { ...given, text, memoryId });
}

/** What stands of a repository, oldest first. */
export function memoriesOf({ memories }: Pick<Records, 'memories'>, repositoryId: string): Memory[] {
  return memories.where('repository', repositoryId).filter(({ status }) => status === 'Confirmed');
}
