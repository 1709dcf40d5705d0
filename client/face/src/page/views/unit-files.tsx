/** Files that the agent of a work unit has written so far, the last one first: before anything is proposed, and while it goes on. */
import { useQuery } from '../core/query.js';
import { visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Empty, Read, State, many } from '../parts/ui.js';
import { filesIn } from '../parts/changes/written-files.js';

export function UnitFiles({ workUnitId }: { readonly workUnitId: string }) {
  const log = useQuery('workunit-log.conversationLog', { workUnitId });
  return (
    <Read of={log}>
      {(entries) => {
        const files = filesIn(entries);
        if (files.length === 0) return <Empty>It has written no file yet.</Empty>;
        return (
          <ul class="rows">
            {files.map(({ path, does, times, at }) => (
              <li key={path} class="row">
                <State is={does} />
                <code class="grow cut">{visible(path)}</code>
                {times > 1 && <span class="quiet">{many(times, 'time')}</span>}
                <When at={at} />
              </li>
            ))}
          </ul>
        );
      }}
    </Read>
  );
}
