import { expect, test, vi } from 'vitest'
import { type AuditTestsOptions, auditTests, type VisitFunction } from '../../../src/audit.ts'
import { shareSandbox } from '../../support/sandbox.ts'
import { visitUseOfExample } from '../../support/visits.ts'

vi.setConfig({ testTimeout: 120_000 })
const sandbox = await shareSandbox()

type Result = 'passed' | { readonly skipped: unknown } | { readonly failed: string }

/** A runner that registers tests, and runs those that are asked for. */
function createRunner(options: Omit<AuditTestsOptions, 'test'>, visit: VisitFunction) {
  const tests = new Map<string, (...context: readonly unknown[]) => Promise<void>>()
  auditTests(sandbox, visit, { ...options, test: (name, run) => tests.set(name, run) })
  async function run(name: string): Promise<Result> {
    const skips: unknown[] = []
    const body = tests.get(name) ?? expect.fail(`there is no test ${name}`)
    const failure = await body({ skip: (reason: unknown) => skips.push(reason) }).catch(
      (error: Error) => error,
    )
    if (failure) return { failed: failure.message }
    return skips.length > 0 ? { skipped: skips[0] } : 'passed'
  }
  return { names: [...tests.keys()], bodies: [...tests.values()], run }
}

const NEVER: VisitFunction = () => expect.fail('no test was run')

const CONTROLS = ['an adult is let in', 'a minor is kept out', 'a user who declines is kept out']

test('The tests of an audit are controls, rows to accept, then the most severe rows of level must', () => {
  const { names } = createRunner({}, NEVER)
  expect(names.slice(0, 3)).toEqual(CONTROLS)
  const rest = names.slice(3)
  const refusals = rest.findIndex((name) => name.endsWith(' is refused'))
  expect(refusals).toBeGreaterThan(0)
  for (const name of rest.slice(0, refusals)) expect(name).toMatch(/ is accepted$/)
  for (const name of rest.slice(refusals)) expect(name).toMatch(/ is refused$/)
  expect(rest).toContain('use/id_token.expired is refused')
  expect(rest).not.toContain('use/id_token.kid_empty is refused')
  expect(rest.filter((name) => /^(?:jwks|discovery)\//.test(name))).toEqual([])
})

test('The tests that "only" chooses are of every level, but none that a correct app may answer anyhow', () => {
  const { names, bodies } = createRunner({ only: ['use/id_token.kid_empty'] }, NEVER)
  expect(names).toEqual([...CONTROLS, 'use/id_token.kid_empty is refused'])
  // Jest would give a named parameter a callback.
  expect(bodies.map((body) => body.length)).toEqual([0, 0, 0, 0])
  expect(() => createRunner({ only: ['use/id_token.azp_own'], failOn: 'none' }, NEVER)).toThrow(
    'auditTests: no row is left that can be a test',
  )
})

test('auditTests refuses wrong options in one line', () => {
  expect(() => createRunner({ only: ['use/id_token.expird'] }, NEVER)).toThrow(
    'auditTests: only: "use/id_token.expird" names no row. Did you mean "use/id_token.expired"?',
  )
  expect(() => Reflect.apply(auditTests, undefined, [sandbox, NEVER, {}])).toThrow(
    'auditTests: test must be a function, found nothing',
  )
})

const only = [
  'use/id_token.nonce_missing',
  'use/id_token.expired',
  'create/created',
  'use/id_token.extra_claim',
]
const NONCE = 'use/id_token.nonce_missing is refused'
const EXPIRED = 'use/id_token.expired is refused'

test('The test of a row passes when the app refuses', async () => {
  const { run, names } = createRunner({ only }, await visitUseOfExample(sandbox))
  expect(await Promise.all([EXPIRED, NONCE, 'an adult is let in'].map(run))).toEqual([
    'passed',
    'passed',
    'passed',
  ])
  await sandbox.reset()
  const skipped = { skipped: 'not for this app: your app sends no can_create=true' }
  for (const name of names)
    expect(await run(name), name).toEqual(
      name === 'create/created is accepted' ? skipped : 'passed',
    )
  expect(await sandbox.expectations.list()).toEqual([])
})

test('The test of a row fails with what happened', async () => {
  const unread = ["if (!age_thresholds['18'])", 'if (!age_thresholds)'] as const
  const visit = await visitUseOfExample(sandbox, [['    payload.nonce === nonce &&\n', ''], unread])
  const { run } = createRunner({ only }, visit)
  expect(await Promise.all([EXPIRED, 'an adult is let in'].map(run))).toEqual(['passed', 'passed'])
  const minor = { failed: expect.stringMatching(/^visit returned true for child-12: /) }
  expect(await run('a minor is kept out')).toEqual(minor)
  const { failed } = Object.assign({ failed: '' }, await run(NONCE))
  expect(failed).toMatch(
    /^use\/id_token\.nonce_missing: let in \(must, severity 8\.1\)\nWhat happened: use\/id_token\.nonce_missing: There is no nonce\. As adult-passport: visit returned true\.\nHarm: .*\nCheck: nonce .*\nSee: .*CWE-294\n(Flow: http:\/\/localhost:\d+\/_sandbox\/console\/flows\/f\d+\n){2}/,
  )
  expect(failed).toContain('outcome id_token.nonce_missing')
})

test('The test of a known row is skipped', async () => {
  const unread = ["if (!age_thresholds['18'])", 'if (!age_thresholds)'] as const
  const visit = await visitUseOfExample(sandbox, [['    payload.nonce === nonce &&\n', ''], unread])
  const known = [{ row: 'use/id_token.nonce_missing', because: 'mended next week' }]
  expect(await createRunner({ only, known }, visit).run(NONCE)).toEqual({
    skipped: 'known: mended next week',
  })
})

test('Each test of an audit fails at an app that refuses everything', async () => {
  const { run, names } = createRunner(
    { only },
    await visitUseOfExample(sandbox, [['Welcome, you are 18.', 'No.']]),
  )
  const failed = expect.stringMatching(/^visit returned false for a right token of adult-passport/)
  for (const name of names) expect(await run(name)).toEqual({ failed })
})

test('The test of a row fails when the app lets no adult in afterwards', async () => {
  const visit = await visitUseOfExample(sandbox)
  let isLocked = false
  const locking: VisitFunction = async (details) => {
    const result = await visit(details)
    isLocked ||= details.row === 'use/id_token.expired'
    return result && !isLocked
  }
  const { run } = createRunner({ only }, locking)
  expect(await run(NONCE)).toBe('passed')
  const lost = {
    failed: expect.stringMatching(
      /: undetermined .*\ncontrol_lost: the app no longer takes right answers/,
    ),
  }
  expect(await run(EXPIRED)).toEqual(lost)
  expect(await run(NONCE)).toEqual(lost)
})
