/** Doors of the tools protocol: one for outside programs, one for those of this studio, one for programs that work as agents. */
import type { NamedOperation } from '../../operations/kernel/define.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import { agentOffer } from './agent-offer.js';
import { type ToolDoor, createToolDoor } from './mcp.js';
import type { Offer, ToolCaller } from './offer.js';
import { ResourceChanges } from './resource-changes.js';
import { studioOffer } from './studio-offer.js';
import { TOOL_SESSION_LIMITS, type ToolSessionLimits } from './tool-sessions.js';

export interface ToolDoors {
  readonly external: ToolDoor;
  readonly internal: ToolDoor;
  readonly ofAgents: ToolDoor;
}

export interface ToolDoorsParts {
  readonly table: readonly NamedOperation[];
  /** Tools that only agents have. */
  readonly agentTable: readonly NamedOperation[];
  readonly shared: OperationParts;
  readonly limits?: Partial<ToolSessionLimits> | undefined;
  /** Tools offered to outside programs. Default: the external tools of the table. */
  readonly outside?: ((caller: ToolCaller) => Offer) | undefined;
}

export function toolDoors({ table, agentTable, shared, limits, outside }: ToolDoorsParts): ToolDoors {
  const parts = {
    changes: new ResourceChanges(shared),
    limits: { ...TOOL_SESSION_LIMITS, ...limits },
    log: shared.log,
  };
  return {
    external: createToolDoor({ offerTo: outside ?? studioOffer(table, 'external', shared), ...parts }),
    internal: createToolDoor({ offerTo: studioOffer(table, 'internal', shared), ...parts }),
    ofAgents: createToolDoor({ offerTo: agentOffer({ table, own: agentTable }, shared), ...parts }),
  };
}
