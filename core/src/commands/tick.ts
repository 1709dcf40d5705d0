/** The tick loop. Rules TI1 to TI4. */
import { z } from 'zod';
import { PolicyShape } from '../wire/policy-shape.js';
import { Text } from '../wire/scalars.js';
import { command } from '../contract/command.js';
import { hostCommand, hostEvents } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import type { TickSettings } from '../room/state/facts.js';
import { TICK_DEFAULTS, faultOfPrefix } from '../tenancy/tick.js';

const Settings = z.object({
  interval_ms: z.number().int().describe('The interval in force.'),
  intent_prefix: z.string().describe('The prefix in force.'),
});

const Wanted = z.object({
  interval_ms: z.number().int().min(1).max(86_400_000).optional().describe('100 when absent, at least 10.'),
  intent_prefix: Text.max(1024).optional().describe('`intent/` when absent.'),
  intent_policy: PolicyShape.optional().describe('Whose intents are accepted, by key; all when absent.'),
});

const asFields = ({ intervalMs, intentPrefix }: TickSettings) => ({
  interval_ms: intervalMs,
  intent_prefix: intentPrefix,
});

export const startTick = command({
  type: 'start-tick',
  summary:
    'Let the server write what is set under a prefix to `world/`, at an interval. It goes on until it is stopped.',
  requires: 'tick.admin',
  in: Wanted,
  out: { 'tick-started': Settings, 'tick-already-running': Settings },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload'],
}).run(async ({ tenancy, identity, reply }, input) => {
  const { interval_ms: interval = TICK_DEFAULTS.intervalMs, intent_policy: intentPolicy } = input;
  const { intent_prefix: intentPrefix = TICK_DEFAULTS.intentPrefix } = input;
  const fault = faultOfPrefix(intentPrefix);
  if (fault) throw new Rejection('invalid-payload', `start-tick: intent_prefix ${fault}`);
  const intervalMs = Math.max(interval, TICK_DEFAULTS.leastIntervalMs);
  const wanted = { intervalMs, intentPrefix, ...(intentPolicy ? { intentPolicy } : {}) };
  const { settings, isNew } = await tenancy.tick.start(wanted, identity.pubkey);
  return [reply(isNew ? 'tick-started' : 'tick-already-running', asFields(settings))];
});

export const stopTick = command({
  type: 'stop-tick',
  summary: 'Stop the tick. Answered alike when it did not run.',
  requires: 'tick.admin',
  in: z.object({}),
  out: { 'tick-stopped': z.object({}) },
  refuses: ['reject.control_plane_forbidden'],
}).run(async ({ tenancy, identity, reply }) => {
  await tenancy.tick.stop(identity.pubkey);
  return [reply('tick-stopped', {})];
});

export const hostStartTick = hostEvents({
  variant: 'StartTick',
  summary: startTick.summary,
  in: Wanted,
  out: { TickStarted: Settings, TickAlreadyRunning: Settings },
}).run(async ({ ask, event }, wanted) => {
  const [answer] = await ask(startTick, wanted);
  const name = answer?.type === 'tick-started' ? 'TickStarted' : 'TickAlreadyRunning';
  return [event(name, Settings.parse(answer))];
});

export const hostStopTick = hostCommand({
  variant: 'StopTick',
  event: 'TickStopped',
  summary: stopTick.summary,
  in: z.object({}),
  out: z.object({}),
}).run(async ({ ask }) => {
  await ask(stopTick, {});
  return {};
});
