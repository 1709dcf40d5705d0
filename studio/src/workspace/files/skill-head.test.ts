import { expect, it } from 'vitest';
import { descriptionIn } from './skill-head.js';

it.each([
  ['---\nname: x\ndescription: Make a release.\n---\nText', 'Make a release.'],
  ['\uFEFF---\r\ndescription: "Make a: release"\r\nname: x\r\n---\r\n', 'Make a: release'],
  ["---\ndescription: 'One'\n---", 'One'],
  ['---\ndescription: >-\n  Make a\n  release.\nname: x\n---\n', 'Make a release.'],
  ['---\ndescription: Make\n  a release.\n---\n', 'Make a release.'],
  [`---\ndescription: ${'x'.repeat(1000)}\n---\n`, 'x'.repeat(300)],
  ['---\nname: x\n---\ndescription: not here', ''],
  ['description: not here', ''],
  ['---\ndescription: it does not end\n', ''],
  ['', ''],
])('the description of %j', (text, description) => expect(descriptionIn(text)).toBe(description));
