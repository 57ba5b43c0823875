import { tmpdir } from 'node:os'
import { expect, test, vi } from 'vitest'
import { processState } from './process-state.ts'

/** Changes one thing of the process. @returns what takes the change back */
type Change = () => () => unknown

const replace =
  (owner: object, name: string, value: unknown = () => undefined): Change =>
  () => {
    const [isNew, before] = [!(name in owner), Reflect.get(owner, name)]
    Reflect.set(owner, name, value)
    return () => (isNew ? Reflect.deleteProperty(owner, name) : Reflect.set(owner, name, before))
  }

/** Takes back by the function that has made the change: it returns what was there before. */
const swap =
  <Value>(set: (value: Value) => Value, value: Value): Change =>
  () =>
    set.bind(undefined, set(value))

const enter = (folder: string) => {
  const before = process.cwd()
  process.chdir(folder)
  return before
}

const listener = () => {}
const listen = () => process.on('warning', listener) && (() => process.off('warning', listener))

const CHANGES: readonly [change: string, part: string, Change][] = [
  ['a new variable of the environment', 'environment', replace(process.env, 'LEFT_BY_A_TEST', '1')],
  ['another working folder', 'workingFolder', swap(enter, tmpdir())],
  ['an exit code', 'exitCode', replace(process, 'exitCode', 3)],
  ['another umask', 'umask', swap(process.umask, 0o70)],
  ['a listener of the process', 'listeners', listen],
  ['a global', 'globals', replace(globalThis, 'leftByATest', 1)],
  [
    'a clock that stands still',
    'functions',
    () => vi.useFakeTimers() && (() => vi.useRealTimers()),
  ],
  ['another source of chance', 'functions', replace(Math, 'random')],
  ['another network', 'functions', replace(globalThis, 'fetch')],
  ['a silent console', 'functions', replace(console, 'warn')],
  ['an exit that does not end the process', 'functions', replace(process, 'exit')],
]

test.each(CHANGES)(
  'The state of a process shows %s, in %s alone, until it is taken back',
  (_change, part, change) => {
    const before = processState()
    const takeBack = change()
    const changed = processState()
    takeBack()
    const differing = Object.keys(before).filter(
      (name) => JSON.stringify(changed[name]) !== JSON.stringify(before[name]),
    )
    expect(differing).toEqual([part])
    expect(processState()).toEqual(before)
  },
)
