// A vitest reporter that leaves a run's results in the file that TESTS_REPORT names: what each file's tests came to, and
// what failed outside all tests, which vitest's own JSON keeps quiet about.
import { relative } from 'node:path';
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { root } from './workspace.mjs';

export default class Results {
  onTestRunEnd(modules, unhandled) {
    const files = modules.map((module) => ({ file: relative(root, module.moduleId), ...resultOf(module) }));
    // Whoever threw it may have been over by then, so the file is the one that ran in that process, if any did.
    const outside = unhandled.map((error) => ({
      file: error.VITEST_TEST_PATH === undefined ? undefined : relative(root, error.VITEST_TEST_PATH),
      message: String(error.message),
    }));
    writeFileSync(process.env['TESTS_REPORT'], `${JSON.stringify({ files, outside })}\n`);
  }
}

function resultOf(module) {
  const tests = [...module.children.allTests('failed')];
  const failed = tests.map((test) => test.fullName);
  const why = Object.fromEntries(tests.map((test) => [test.fullName, firstLine(test.result().errors?.[0]?.message)]));
  const passed = [...module.children.allTests('passed')].length;
  // What cannot be loaded, or fails before or after its tests, has no failed test to show for it.
  if (failed.length === 0 && !module.ok()) failed.push('outside its tests');
  return { passed, failed, why };
}

function firstLine(text = '') {
  return stripVTControlCharacters(text).split('\n', 1)[0];
}
