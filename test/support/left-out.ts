import type { Reporter, TestModule } from 'vitest/node'
import { TOOLS, type ToolName } from './tools.ts'

/** Says in the last lines of a run how many groups of tests were left out for want of a program, and how to install it. */
export class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const counts = new Map<string, number>()
    for (const test of skipped) {
      const { missing = '' } = test.meta()
      counts.set(missing, (counts.get(missing) ?? 0) + 1)
    }
    for (const [tool, count] of counts) {
      const why = isTool(tool) ? `there is no ${tool} here: ${TOOLS[tool].remedy}` : 'see the reason beside each'
      console.warn(`LEFT OUT: ${count} ${count === 1 ? 'group' : 'groups'} of tests, ${why}`)
    }
  }
}

const isTool = (name: string): name is ToolName => name in TOOLS
