import { expect, test } from 'vitest'
import type { VerdictName } from '../../../src/audit/report/audit-report.ts'
import type { Worker } from '../../../src/audit/trials/audit-run.ts'
import { type RunSettings, runTrials } from '../../../src/audit/trials/run-trials.ts'
import type { Trial, TrialFinding } from '../../../src/audit/trials/trial.ts'
import { imitatedApp, workerOf } from '../../support/imitated-app.ts'

type Shown = VerdictName | 'limited'
/** The result of a trial each time that it is driven, by the number of concurrent trials. */
type Act = (name: string, time: number, beside: number) => Shown

interface Given extends Partial<Omit<RunSettings, 'control'>> {
  /** A plain good flow that lets no adult in. */
  findLoss?(): Promise<string | undefined>
  readonly copies?: number
  readonly repeat?: number
  readonly program?: Worker['program']
  /** Absent for a trial that runs beside others. */
  readonly runs?: Readonly<Record<string, Trial['runs']>>
  /** The later verdict on the users of a trial. */
  readonly later?: Act
}

const findingAs = (verdict: Shown, flow: string): TrialFinding => {
  if (verdict !== 'limited') return { verdict, evidence: `it was ${verdict}`, flows: [flow] }
  return {
    verdict: 'undetermined',
    reason: 'control_lost',
    evidence: '429',
    flows: [flow],
    isLimited: true,
  }
}

/**
 * Trials named t1, t2, … and the order in which an app was driven; `control` is a plain good flow.
 */
function prepare(count: number, act: Act, given: Given = {}) {
  const {
    copies = 1,
    repeat = 1,
    program,
    runs = {},
    later,
    findLoss = async () => undefined,
    ...settings
  } = given
  const order: string[] = []
  const app = imitatedApp(() => '200 /')
  let running = 0
  const trials = Array.from({ length: count }, (_, index): Trial<Shown> => {
    const name = `t${index + 1}`
    const times = () => order.filter((one) => one === name).length
    return {
      name,
      runs: runs[name] ?? 'beside',
      async drive() {
        order.push(name)
        const time = times()
        running += 1
        await new Promise((resolve) => setImmediate(resolve))
        const shown = act(name, time, running - 1)
        running -= 1
        return shown
      },
      proof: (shown) => findingAs(shown, `${name}.${times()}`),
      ...(later && {
        async lookAgain() {
          order.push(`${name} later`)
          return later(name, order.filter((one) => one === `${name} later`).length, 0)
        },
      }),
    }
  })
  const worker = { ...workerOf(app), program }
  const heard: string[] = []
  const end = new AbortController()
  const control: Trial<string | undefined> = {
    name: 'a plain good flow',
    runs: 'alone',
    drive() {
      order.push('control')
      return findLoss()
    },
    proof: (loss) => ({
      ...findingAs(loss ? 'undetermined' : 'accepted', ''),
      evidence: loss ?? '',
    }),
  }
  const run = async () => {
    const notes: string[] = []
    const findingOf = await runTrials(trials, {
      workers: Array.from({ length: copies }, () => worker),
      visitsEach: 1,
      options: { repeat },
      signal: end.signal,
      notes,
      onFinding: ({ name }, { verdict }) => heard.push(`${name} ${verdict}`),
      control,
      ...settings,
    })
    const findings = trials.map((trial) => findingOf(trial))
    return { findings, says: findings.map(({ verdict, reason }) => reason ?? verdict), notes }
  }
  return { run, order, heard, app, end, worker }
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `t${from + index}`)
const refuse: Act = () => 'refused'

test('A plain good flow follows each 50 trials', async () => {
  const { run, order, heard } = prepare(60, refuse)
  const { findings, notes } = await run()
  expect(order).toEqual([...names(1, 50), 'control', ...names(51, 60), 'control'])
  expect(heard).toEqual(names(1, 60).map((name) => `${name} refused`))
  expect(findings[59]).toEqual({ verdict: 'refused', evidence: 'it was refused', flows: ['t60.1'] })
  expect(notes).toEqual([])
})

test('Trials run side by side as far as they can', async () => {
  const beside: number[] = []
  const act: Act = (_name, _time, others) => {
    beside.push(others)
    return 'refused'
  }
  const runs = { t1: 'in turn', t2: 'in turn', t3: 'alone', t7: 'alone' } as const
  const { run, order } = prepare(7, act, { visitsEach: 2, runs })
  await run()
  expect(order).toEqual(['t4', 't5', 't1', 't6', 't2', 't3', 't7', 'control'])
  expect(Math.max(...beside)).toBe(2)
  expect(beside.slice(-2)).toEqual([0, 0])
})

test('Two copies of an app share the trials', async () => {
  const { run, order } = prepare(8, refuse, { copies: 2 })
  expect((await run()).says).toEqual(Array(8).fill('refused'))
  expect(order.filter((one) => one === 'control')).toHaveLength(4)
  expect(new Set(order)).toHaveProperty('size', 9)
})

test('A finding that comes out differently is flaky', async () => {
  for (const verdict of ['let in', 'too strict', 'broke', 'ignored'] as const) {
    const always = prepare(1, () => verdict, { repeat: 3 })
    expect((await always.run()).findings).toMatchObject([
      { verdict, flows: ['t1.3', 't1.3', 't1.3'] },
    ])
    const once = prepare(1, (_name, time) => (time === 1 ? verdict : 'refused'), { repeat: 2 })
    const evidence = `${verdict} at first (it was ${verdict}), then refused (it was refused)`
    expect((await once.run()).findings).toMatchObject([
      { verdict: 'undetermined', reason: 'flaky', evidence },
    ])
  }
})

test('A trial that is no finding is run once', async () => {
  const others = ['refused', 'accepted', 'observed', 'undetermined'] as const
  const { run, order } = prepare(4, (name) => others[Number(name.slice(1)) - 1] ?? 'let in', {
    repeat: 2,
  })
  await run()
  expect(order).toEqual([...names(1, 4), 'control'])
})

test('A trial that broke, was flaky or undetermined beside others is run again, alone', async () => {
  const act: Act = (name, time) => {
    if (name === 't4' && time === 1) return 'undetermined'
    if (name === 't1' || (name === 't2' && time === 1)) return 'broke'
    return name === 't3' && time === 1 ? 'let in' : 'refused'
  }
  const { run, order, heard } = prepare(4, act, { visitsEach: 2, repeat: 2 })
  expect((await run()).says).toEqual(['broke', 'refused', 'refused', 'refused'])
  expect(order.slice(-6).toSorted()).toEqual(['control', 't1', 't1', 't2', 't3', 't4'])
  expect(heard.toSorted()).toEqual(['t1 broke', 't2 refused', 't3 refused', 't4 refused'])
})

const LOST =
  'after t6 your app no longer lets an adult in: gone; what it refused since the last good flow does not count'
const VOID = 'it was refused; then a plain good flow was refused too'
/** A plain good flow that is refused at these times. */
const lossAt = (...times: readonly number[]) => {
  let time = 0
  return async () => (times.includes(++time) ? 'gone' : undefined)
}
const always = async () => 'gone'

test('Refusals of an app that lets nobody in any more are void', async () => {
  const act: Act = (name) => (name === 't2' ? 'let in' : 'refused')
  const { run, app } = prepare(60, act, { findLoss: always })
  const { findings, says, notes } = await run()
  expect(says.slice(0, 3)).toEqual(['control_lost', 'let in', 'control_lost'])
  const untried = 'it was not tried: before it, your app refused a plain good flow'
  expect(findings[0]?.evidence).toEqual(VOID)
  expect(findings[59]?.evidence).toEqual(untried)
  expect(notes).toEqual([LOST.replace('t6', 't50')])
  expect(app.spread.times).toBe(1)
})

test('An app that lets nobody in for a while is given time', async () => {
  const { run, order, app } = prepare(6, refuse, { findLoss: lossAt(1, 2) })
  const { says, notes } = await run()
  expect(says).toEqual(Array(6).fill('refused'))
  expect(notes).toEqual([`${LOST}; it did so again some seconds later`])
  expect(order.filter((one) => one === 't1')).toHaveLength(2)
  expect(app.spread.times).toBe(1)
  expect(app.waits).not.toEqual([])
  expect(order.slice(9).indexOf('control')).toBe(5)
})

test('A trial after which an app lets nobody in twice is void', async () => {
  let last = ''
  const act: Act = (name) => {
    last = name
    return 'refused'
  }
  const restart = async () => {
    last = ''
  }
  const program = { restart, record: () => async () => [] }
  const { says } = await prepare(6, act, {
    program,
    findLoss: async () => (last === 't6' ? 'gone' : undefined),
  }).run()
  expect(says).toEqual([...Array(5).fill('refused'), 'control_lost'])
})

const starts = async () => {}
const cannotStart = () => Promise.reject(new Error('port in use'))
const NO_START = ', and your app did not start again: port in use'

test.each([
  ['is started again', starts, [1], '; it was started again', 'refused'],
  ['does not start again', cannotStart, [1], NO_START, 'control_lost'],
  [
    'is not mended by another start',
    starts,
    [1, 2],
    ', and started again it showed gone',
    'control_lost',
  ],
])(
  'An app of the audit that lets nobody in any more %s',
  async (_what, restart, losses, note, says) => {
    const program = { restart, record: () => async () => [] }
    const { run } = prepare(6, refuse, { program, findLoss: lossAt(...losses) })
    expect(await run()).toMatchObject({ says: Array(6).fill(says), notes: [`${LOST}${note}`] })
  },
)

const LIMIT =
  'your app answers 429 since t2; the audit goes on more slowly, by other client addresses. Raise its limit for tests, or give reset:'

test('An app that limits its clients is driven more slowly, by other addresses', async () => {
  const { run, app } = prepare(4, (name, time) =>
    name > 't1' && time === 1 ? 'limited' : 'refused',
  )
  expect(await run()).toMatchObject({ says: Array(4).fill('refused'), notes: [LIMIT] })
  expect(app.spread.times).toBe(3)
  const never = prepare(2, (name) => (name > 't1' ? 'limited' : 'refused'))
  expect(await never.run()).toMatchObject({ says: ['refused', 'control_lost'], notes: [LIMIT] })
  expect(never.order.filter((one) => one === 't2')).toHaveLength(5)
  expect(never.app.waits.slice(0, 4)).toEqual([0, 1000, 3000, 6000])
  // A rate limit is no attempt: after a loss such a trial is repeated like all others.
  const act: Act = (_name, time) => (time === 1 ? 'limited' : 'refused')
  expect((await prepare(2, act, { findLoss: lossAt(1) }).run()).says).toEqual([
    'refused',
    'refused',
  ])
})

test('A finding whose repetition meets a limit is looked at again', async () => {
  const act: Act = (name, time) =>
    name === 't2' && time === 2 ? 'limited' : name === 't2' ? 'let in' : 'refused'
  const { run, app } = prepare(2, act, { repeat: 2 })
  expect(await run()).toMatchObject({ says: ['refused', 'let in'], notes: [LIMIT] })
  expect(app.spread.times).toBe(1)
})

test('Users who were refused are looked at later, when a job of the app may have let them in', async () => {
  const act: Act = (name) => (name === 't2' ? 'accepted' : 'refused')
  const { run, order, app } = prepare(3, act, {
    later: (name) => (name === 't1' ? 'let in' : 'refused'),
  })
  expect((await run()).says).toEqual(['let in', 'accepted', 'refused'])
  expect(app.waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(1500)
  expect(order).toContain('t3 later')
  expect(order).not.toContain('t2 later')
  const nothing = prepare(2, () => 'accepted', { later: () => 'let in' })
  await nothing.run()
  expect(nothing.order).toHaveLength(3)
  expect(nothing.app.waits).toEqual([])
})

test('Trials that an ended audit did not reach say so', async () => {
  const act: Act = (name) => {
    if (name === 't2') given.end.abort()
    return 'let in'
  }
  const given = prepare(3, act, { later: refuse })
  const { findings } = await given.run()
  expect(given.order).toEqual(['t1', 't2'])
  expect(given.heard).toEqual(['t1 let in'])
  const evidence = 'it was not tried: the audit ended before; raise --budget'
  const ended = { reason: 'timed_out', evidence }
  expect(findings).toMatchObject([{ verdict: 'let in' }, ended, ended])
})

test('A trial that runs alone has what the app wrote meanwhile', async () => {
  const recorded: string[] = []
  const record = () => {
    recorded.push('begin')
    return async () => {
      recorded.push('end')
      return ['JWTExpired']
    }
  }
  const program = { restart: async () => {}, record }
  expect((await prepare(1, refuse, { program }).run()).findings).toMatchObject([
    { log: ['JWTExpired'] },
  ])
  expect(recorded).toEqual(['begin', 'end'])
  const beside = await prepare(2, refuse, { program, visitsEach: 2 }).run()
  expect(beside.findings.map(({ log }) => log)).toEqual([undefined, undefined])
  expect(recorded).toHaveLength(2)
})
