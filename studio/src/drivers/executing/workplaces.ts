/**
 * Workplaces of agent programs: the folder of the unit's branch, a home for the program's sessions, and a token for the studio's tools that
 * ends with the turn. What a turn has changed is settled behind it: saved, and what the unit may not change is taken back and told.
 */
import type { AgentProfile } from '../../record/aggregates/agent-profile/state.js';
import type { ScheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import { unitOf } from '../../record/views/by-id.js';
import type { ToolsOverHttp } from '../../models/executor.js';
import type { ModelUsage } from '../../models/provider.js';
import type { BranchContext } from '../../rules/branches/branch-context.js';
import { folderFor } from '../../rules/branches/files.js';
import { namedPaths, takeBackOutside } from '../../rules/branches/outside-scope.js';
import { editBranch, save } from '../../rules/branches/save.js';
import { storedBranch } from '../../rules/branches/stored-branch.js';
import { serverToolsFor } from '../../rules/runs/server-tools.js';
import type { ProgramHomes } from '../../workspace/programs/program-homes.js';
import type { LookedAt } from './looked-at.js';

/** Door of the studio for programs at work. */
export interface ProgramDoor {
  readonly url: string;
  /** Mints a token for an agent at its unit, for these tools alone. */
  mint(
    agentId: string,
    wanted: { readonly workUnitId: string; readonly tools: readonly string[] },
  ): { readonly secret: string; revoke(): void };
}

export interface Place {
  readonly repositoryId: string | undefined;
  readonly folder: string;
  readonly home: string;
  readonly door: ToolsOverHttp;
  /** Session of the unit's conversation, and whether its last turn was broken off. */
  readonly session: string | undefined;
  readonly wasInterrupted: boolean;
  /** Files that others have changed since the program ended its last turn. */
  readonly changed: readonly string[];
  /** What the session had told when its last turn ended that it has used, where it counts all its runs. */
  readonly used: ModelUsage | undefined;
  keepSession(id: string): Promise<void>;
  /** Saves what the turn has changed, and takes back what it may not have. The next turn is told of one that was broken off. */
  settle(looked: LookedAt, isBrokenOff: boolean, used: ModelUsage | undefined): Promise<void>;
  close(): void;
}

/** Tools of the studio that a program at work is given, where its profile allows them. */
const TOOLS = [
  ...['test', 'build', 'lint', 'clarification_request', 'artifact_record', 'artifact_query', 'task_update'],
  ...['workunit_get', 'scope_request', 'merge_propose'],
];

export class Workplaces {
  readonly #context: BranchContext;
  readonly #homes: ProgramHomes;
  readonly #door: ProgramDoor;

  constructor(context: BranchContext, homes: ProgramHomes, door: ProgramDoor) {
    this.#context = context;
    this.#homes = homes;
    this.#door = door;
  }

  async open(
    { workUnitId, run }: ScheduledItem,
    { agentId, allowedTools, executor }: Pick<AgentProfile, 'allowedTools'> & { agentId: string; executor: string },
  ): Promise<Place> {
    const [context, homes] = [this.#context, this.#homes];
    const unit = unitOf(context.records, workUnitId);
    const branch = await storedBranch(context, unit.branchId, unit.repositoryId);
    const { folder } = await folderFor(context, branch);
    const start = await save(context, branch);
    const home = await homes.homeOf(workUnitId);
    const about = { workUnitId, run, executor };
    const kept = await homes.session(about);
    const wasInterrupted = kept?.isOpen === true;
    const { store } = branch;
    const before = wasInterrupted ? undefined : kept?.commit;
    const changed = before === undefined ? [] : (await store.changes(before, start)).map(({ path }) => path);
    let { session, used } = kept ?? {};
    const keep = (isOpen: boolean, commit?: string): Promise<void> =>
      homes.keep({
        ...about,
        isOpen,
        ...(session !== undefined && { session }),
        ...(used !== undefined && { used }),
        ...(commit !== undefined && { commit }),
      });
    await keep(true);
    const own = TOOLS.filter(
      (name) => allowedTools.length === 0 || allowedTools.some((one) => one.replace(/^svc_v1_/, '') === name),
    );
    const tools = [...own, ...serverToolsFor(context.records, workUnitId).map(({ name }) => name)];
    const token = this.#door.mint(agentId, { workUnitId, tools });
    return {
      repositoryId: unit.repositoryId,
      folder,
      home,
      door: { url: this.#door.url, token: token.secret, tools },
      session,
      wasInterrupted,
      changed,
      used,
      keepSession: async (id) => {
        if (id !== session) used = undefined;
        session = id;
        await keep(true);
      },
      settle: async (looked, isBrokenOff, told) => {
        const head = await save(context, branch);
        const changes = await store.changes(start, head);
        const outside = await takeBackOutside(context, branch, unit, changes);
        const blind = changes.filter(({ path }) => changed.includes(path) && !looked.has(path));
        const edits = blind.map(({ path, before: entry }) => ({ path, content: entry ?? null }));
        if (edits.length > 0)
          await editBranch(context, branch, edits, `Take back ${edits.length} changes of unread files`);
        const unread = blind.map(({ path }) => path);
        const said = [
          outside.length === 0 ? '' : `${namedPaths(outside)}: outside of the scope of this work`,
          unread.length === 0
            ? ''
            : `${namedPaths(unread)}: others had changed it, and it was not read before it was written`,
        ].filter((one) => one !== '');
        const now = await save(context, branch);
        // Told with the next message, and to whoever reviews the work.
        if (said.length > 0)
          await context.change((change) => {
            const text = `These changes were taken back (${now.slice(0, 12)}):\n${said.join('\n')}`;
            change.run(workUnit, workUnitId, 'note', { key: 'taken back', text });
          });
        used = told;
        await keep(isBrokenOff, now);
      },
      close: () => token.revoke(),
    };
  }
}
