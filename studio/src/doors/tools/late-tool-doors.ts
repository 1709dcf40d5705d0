/**
 * Doors of the tools protocol, made by the first request to one of them: the library of the protocol is a sixth of all
 * that a studio loads, and a start waits for nothing that nobody has asked for.
 */
import type { Visitor } from './offer.js';
import type { ToolDoors, ToolDoorsParts } from './tool-doors.js';

export class LateToolDoors {
  readonly #parts: ToolDoorsParts;
  #made: Promise<ToolDoors> | undefined;

  constructor(parts: ToolDoorsParts) {
    this.#parts = parts;
  }

  async fetch(door: keyof ToolDoors, request: Request, parsedBody: unknown, visitor: Visitor): Promise<Response> {
    this.#made ??= import('./tool-doors.js').then(({ toolDoors }) => toolDoors(this.#parts));
    const doors = await this.#made;
    return doors[door].fetch(request, parsedBody, visitor);
  }

  /** Graceful shutdown of what was made; see `ToolDoor`. */
  async close(): Promise<void> {
    const doors = await this.#made;
    if (doors) await Promise.all([doors.external.close(), doors.internal.close(), doors.ofAgents.close()]);
  }
}
