/** All that judging needs where a room says something of keys, in one piece. */
import { checkWord } from '../../access/word.js';
import { introductionAt } from '../state/mandates.js';
import type { Speakers } from '../state/speakers.js';
import { checkMandates } from './checked-mandates.js';
import { ComingVoices } from './coming-voices.js';
import type { KeyChecks, KeyRules } from './key-rules.js';
import { mandateFault } from './mandate-fault.js';

export const keyChecks: KeyChecks = { checkMandates, checkWord };

export function keyRulesOf(speakers: Speakers): KeyRules {
  return {
    voices: (judged, isServer) => new ComingVoices(judged, speakers, isServer),
    faultOf: (table, place, mandates, voice) => mandateFault({ table, mandates }, place, voice, speakers),
    introduces: (table, place) => introductionAt(table, place) !== undefined,
  };
}
