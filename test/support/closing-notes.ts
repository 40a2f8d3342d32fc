import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** More excused tests than this in one run mean that its measurements prove little. */
const MAX_EXCUSED = 2;
/** More tests than this that need their retry in one run mean a fault, not chance. */
const MAX_RETRIED = 3;

/**
 * Prints the skipped, the excused and the retried tests at the end of a run. With `NO_SKIPS=1`, a skipped test fails the
 * run. More than `MAX_EXCUSED` excused or `MAX_RETRIED` retried tests always fail it.
 */
export class ClosingNotes implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped').flatMap((test) => this.#reasonOf(test));
    for (const [reason, count] of countEach(skipped)) console.log(`${plural(count)} skipped: ${reason}`);
    if (skipped.length > 0 && process.env.NO_SKIPS === '1') {
      console.log('NO_SKIPS=1 is set, so a skipped test fails the run.');
      process.exitCode = 1;
    }
    const excused = tests.filter((test) => test.meta().excused);
    for (const test of excused)
      console.log(`Excused, as the machine was contended: ${test.fullName}\n${test.meta().excused}`);
    if (excused.length > MAX_EXCUSED) {
      console.log(`${excused.length} tests were excused, more than ${MAX_EXCUSED}. Run them again on a quiet machine.`);
      process.exitCode = 1;
    }
    const retried = tests.filter((test) => test.diagnostic()?.flaky);
    for (const test of retried)
      console.log(`Passed only when it was retried: ${test.fullName}\n${test.result().errors?.[0]?.message}`);
    if (retried.length > MAX_RETRIED) {
      console.log(`${retried.length} tests needed a retry, more than ${MAX_RETRIED}.`);
      process.exitCode = 1;
    }
  }

  /** Returns no reason for a test that `-t` excludes. */
  #reasonOf(test: TestCase): string[] {
    for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
      const { missing } = task.meta();
      if (missing) return [missing];
    }
    return this.#vitest?.config.testNamePattern ? [] : ['the test gives no reason'];
  }
}

const plural = (count: number) => `${count} ${count === 1 ? 'test was' : 'tests were'}`;

const countEach = (texts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};
