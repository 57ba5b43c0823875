import { vi } from 'vitest'
import { runProgram } from '../../../src/tools/cli/program.ts'
import type { Run, RunOptions } from './built-cli.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs a command in this process, one at a time; `buildCli` is for what needs a process of its own.
 */
export async function run(
  args: readonly string[],
  { cwd, env = {} }: Omit<RunOptions, 'before'> = {},
): Promise<Run> {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  const before = {
    argv: process.argv,
    env: process.env,
    exitCode: process.exitCode,
    cwd: process.cwd(),
  }
  const listeners = SIGNALS.map((signal) => process.listeners(signal))
  process.argv = [process.execPath, 'agekey-sandbox', ...args]
  process.env = { PATH: before.env['PATH'], ...env }
  process.exitCode = undefined
  if (cwd !== undefined) process.chdir(cwd)
  try {
    await runProgram()
    return { code: Number(process.exitCode ?? 0), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.argv = before.argv
    process.env = before.env
    process.exitCode = before.exitCode
    process.chdir(before.cwd)
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal)) {
        if (!listeners[index]?.includes(listener)) process.off(signal, listener)
      }
  }
}
