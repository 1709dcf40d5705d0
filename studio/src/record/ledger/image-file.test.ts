import { expect, it, onTestFinished, vi } from 'vitest';
import { codeOfBuild } from './image-file.js';

it('the code that runs has the name that its build has written into it, and none where it is not built', () => {
  expect(codeOfBuild()).toBeUndefined();
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('STUDIO_CODE', 'abc');
  expect(codeOfBuild()).toBe('abc');
});
