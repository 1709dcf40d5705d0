import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constraintSwitch } from '../../record/aggregates/constraint-switch/constraint-switch.js';
import type { Reach } from '../../record/aggregates/artifact/events.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { findArtifact, invalidateArtifact, recordArtifact } from './artifacts.js';
import { constraintsFor, enter, globalConstraints, leave } from './constraints.js';

/** What the record should say of one rule, kept by hand. */
interface Rule {
  readonly id: string;
  readonly owner: number | undefined;
  readonly promotedFrom: string | undefined;
  repository: string | undefined;
  counts: boolean;
  disabled: boolean;
  reach: Reach | undefined;
}

const reach = fc.constantFrom<Reach>('Private', 'Workgroup');
const somewhere = fc.constantFrom(undefined, 'repo-a', 'repo-b');
const place = fc.nat(30);
const step = fc.oneof(
  fc.record({ do: fc.constant('own' as const), unit: place, from: fc.option(place) }),
  fc.record({ do: fc.constant('rule' as const), reach, repository: somewhere, supersedes: fc.option(place) }),
  fc.record({ do: fc.constant('promote' as const), at: place, reach }),
  fc.record({ do: fc.constant('invalidate' as const), at: place }),
  fc.record({ do: fc.constant('toggle' as const), at: place, disabled: fc.boolean() }),
  fc.record({ do: fc.constant('rescope' as const), at: place, reach, repository: somewhere }),
);

/** A tree of six units on two repositories; a part works on what the whole works on. */
const PARENTS = [undefined, 0, 0, 1, undefined, 4];
const ROOTS = ['repo-a', 'repo-b'];

describe('the constraints of a work unit', () => {
  it('are those of its line and those for all, that nobody has taken back, replaced or switched off', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const { records, change } = recording();
        for (const id of ROOTS)
          change((open) => open.run(repository, id, 'register', { repositoryId: id, path: id, rootCommits: [] }));
        const units: string[] = [];
        for (const [i, parent] of PARENTS.entries()) {
          const place = parent === undefined ? { repositoryId: ROOTS[i && 1] } : { parentWorkUnitId: units[parent] };
          const unit = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann', ...place }));
          units.push(unit.workUnitId);
        }
        const rules: Rule[] = [];
        const childrenOf = new Map<string, string[]>();
        const at = (index: number): Rule | undefined => rules[index % Math.max(rules.length, 1)];
        for (const one of steps) {
          switch (one.do) {
            case 'own': {
              const owner = one.unit % units.length;
              const from = one.from === null ? undefined : at(one.from);
              const parent = from?.owner !== undefined && from.counts ? from : undefined;
              const wanted = { type: 'Constraint', workUnitId: units[owner]! } as const;
              const { artifactId: id } = change((open) =>
                recordArtifact(open, records, { ...wanted, parentArtifactId: parent?.id }),
              );
              const below = { repository: undefined, counts: true, disabled: false, reach: undefined };
              rules.push({ id, owner, promotedFrom: undefined, ...below });
              if (parent) childrenOf.set(parent.id, [...(childrenOf.get(parent.id) ?? []), id]);
              break;
            }
            case 'rule': {
              const old = one.supersedes === null ? undefined : at(one.supersedes);
              const supersedes = old?.counts && old.reach !== 'Private' && one.reach !== 'Private' ? [old.id] : [];
              const wanted = { type: 'Constraint', reach: one.reach, repositoryId: one.repository } as const;
              const { artifactId: id } = change((open) => recordArtifact(open, records, { ...wanted, supersedes }));
              if (old && supersedes.length > 0) old.counts = false;
              const given = { reach: one.reach, repository: one.repository, counts: true, disabled: false };
              rules.push({ id, owner: undefined, promotedFrom: undefined, ...given });
              break;
            }
            case 'promote': {
              const source = at(one.at);
              if (!source?.counts || source.owner === undefined) break;
              const promotedFromArtifactId = source.id;
              const wanted = { type: 'Constraint', reach: one.reach, promotedFromArtifactId } as const;
              const { artifactId: id } = change((open) => recordArtifact(open, records, wanted));
              const given = { reach: one.reach, repository: undefined, counts: true, disabled: false };
              rules.push({ id, owner: undefined, promotedFrom: source.id, ...given });
              break;
            }
            case 'invalidate': {
              const root = at(one.at);
              if (!root) break;
              change((open) => invalidateArtifact(open, records, root.id, 'wrong'));
              const fallen = [root.id];
              for (const id of fallen) fallen.push(...(childrenOf.get(id) ?? []));
              for (const rule of rules) if (fallen.includes(rule.id)) rule.counts = false;
              break;
            }
            case 'toggle': {
              const rule = at(one.at);
              if (!rule) break;
              const given = { artifactId: rule.id, disabled: one.disabled };
              change((open) => open.run(constraintSwitch, rule.id, 'toggle', given));
              rule.disabled = one.disabled;
              break;
            }
            case 'rescope': {
              const rule = at(one.at);
              if (!rule?.counts || rule.owner !== undefined) break;
              const scope = { reach: one.reach, repositoryId: one.repository };
              const now = change((open) => enter(open, findArtifact(records, rule.id)!, scope));
              change((open) => leave(open, now));
              rule.reach = one.reach;
              rule.repository = one.repository;
              break;
            }
          }
        }
        units.forEach((unit, place) => {
          const line = [place];
          for (const one of line) if (PARENTS[one] !== undefined) line.push(PARENTS[one]);
          const counted = rules.filter((rule) => rule.counts && !rule.disabled);
          const isHere = ({ repository }: Rule): boolean =>
            repository === undefined || repository === records.workUnits.get(unit)?.repositoryId;
          const forAll = counted.filter((rule) => rule.owner === undefined && isHere(rule));
          const copied = new Set(forAll.map(({ promotedFrom }) => promotedFrom));
          const ofLine = counted.filter(
            ({ owner, id }) => owner !== undefined && line.includes(owner) && !copied.has(id),
          );
          const given = constraintsFor(records, unit).map(({ artifactId }) => artifactId);
          expect(given.toSorted()).toEqual([...forAll, ...ofLine].map(({ id }) => id).toSorted());
        });
      }),
    );
  });

  it('show the new scope at once when one changes sides, and asking again completes it', () => {
    const { records, change } = recording();
    const { artifactId } = change((open) => recordArtifact(open, records, { type: 'Constraint', title: 't' }));
    const move = () =>
      change((open) => enter(open, findArtifact(records, artifactId)!, { reach: 'Private', repositoryId: undefined }));
    move();
    // Here the host dies.
    expect(records.artifacts.get(artifactId)?.reach).toBe('Workgroup');
    expect(globalConstraints(records)).toMatchObject([{ artifactId, reach: 'Private', scopeVersion: 1 }]);
    const now = move();
    change((open) => leave(open, now));
    expect(records.artifacts.get(artifactId)?.reach).toBe('Private');
    expect(globalConstraints(records)).toEqual([now]);
  });
});
