/** Views that one opens now and then, by address, loaded together. */
import { Agents } from './agents.js';
import { Audit } from './audit.js';
import { Conflict, Conflicts } from './conflicts.js';
import { Knowledge } from './knowledge.js';
import { Past } from './past.js';
import { Settings } from './settings.js';
import { Spend } from './spend.js';
import type { AtAddress } from './work.js';

export { Audit, Knowledge, Past, Settings, Spend };

export function AgentsView({ rest: [profileId] }: AtAddress) {
  return <Agents profileId={profileId} />;
}

export function ConflictsView({ rest: [conflictId] }: AtAddress) {
  return conflictId === undefined ? <Conflicts /> : <Conflict key={conflictId} conflictId={conflictId} />;
}
