import type { Reporter, TestModule } from 'vitest/node'
import { TOOLS, type ToolName } from './tools.ts'

/**
 * Prints in the last lines of a run how many groups of tests were left out for lack of a program,
 * and how to install it.
 */
export class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<ToolName, number>()
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const { missing } = test.meta()
      if (missing) counts.set(missing, (counts.get(missing) ?? 0) + 1)
    }
    for (const [tool, count] of counts) {
      const groups = count === 1 ? 'group' : 'groups'
      console.warn(
        `LEFT OUT: ${count} ${groups} of tests, there is no ${tool} here: ${TOOLS[tool].remedy}`,
      )
    }
  }
}
