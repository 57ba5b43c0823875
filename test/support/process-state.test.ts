import { tmpdir } from 'node:os'
import { expect, test, vi } from 'vitest'
import { processState } from './process-state.ts'

/** Changes one thing of the process. @returns what takes the change back */
type Change = () => () => unknown

const replace =
  (owner: object, name: string): Change =>
  () => {
    const value: unknown = Reflect.get(owner, name)
    Reflect.set(owner, name, () => undefined)
    return () => Reflect.set(owner, name, value)
  }

const CHANGES: readonly [change: string, part: string, Change][] = [
  [
    'a new variable of the environment',
    'environment',
    () => {
      process.env['LEFT_BY_A_TEST'] = '1'
      return () => delete process.env['LEFT_BY_A_TEST']
    },
  ],
  [
    'another working folder',
    'workingFolder',
    () => {
      const folder = process.cwd()
      process.chdir(tmpdir())
      return () => process.chdir(folder)
    },
  ],
  [
    'an exit code',
    'exitCode',
    () => {
      const code = process.exitCode
      process.exitCode = 3
      return () => {
        process.exitCode = code
      }
    },
  ],
  [
    'another umask',
    'umask',
    () => {
      const umask = process.umask(0o70)
      return () => process.umask(umask)
    },
  ],
  [
    'a listener of the process',
    'listeners',
    () => {
      const listener = () => {}
      process.on('warning', listener)
      return () => process.off('warning', listener)
    },
  ],
  [
    'a global',
    'globals',
    () => {
      Reflect.set(globalThis, 'leftByATest', 1)
      return () => Reflect.deleteProperty(globalThis, 'leftByATest')
    },
  ],
  ['a clock that stands still', 'functions', () => vi.useFakeTimers() && (() => vi.useRealTimers())],
  ['another source of chance', 'functions', replace(Math, 'random')],
  ['another network', 'functions', replace(globalThis, 'fetch')],
  ['a silent console', 'functions', replace(console, 'warn')],
  ['an exit that does not end the process', 'functions', replace(process, 'exit')],
]

test.each(CHANGES)('The state of a process shows %s, in %s alone, until it is taken back', (_change, part, change) => {
  const before = processState()
  const takeBack = change()
  const changed = processState()
  takeBack()
  const differing = Object.keys(before).filter((name) => JSON.stringify(changed[name]) !== JSON.stringify(before[name]))
  expect(differing).toEqual([part])
  expect(processState()).toEqual(before)
})
