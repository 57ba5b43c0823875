import { expect, test } from 'vitest'
import {
  type VisitDetails,
  type VisitFunction,
  visitedBy,
} from '../../../src/audit/drive/visited-by.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const LIMITS = { timeoutSeconds: 10, signal: new AbortController().signal }
const ADULT = { use: { persona: 'adult-passport', outcome: 'verified' } }

/** A driver whose function sends a Use request if `begins` says so. */
async function startFunction(begins: (details: VisitDetails) => boolean = () => true) {
  const sandbox = await startSandbox()
  const visit: VisitFunction = async (details) => {
    if (begins(details)) await sendUse(sandbox.url)
    return true
  }
  return { sandbox, app: visitedBy(sandbox, visit) }
}

test('A visit that begins no flow is not given the flow of the visit before', async () => {
  const { app } = await startFunction(({ n }) => n === 1)
  const driver = app.drive(LIMITS)
  expect((await driver.run(ADULT)).useFlow).toBeDefined()
  expect((await driver.run(ADULT)).useFlow).toBeUndefined()
})

test('The second Use request of a visit is denied', async () => {
  const sandbox = await startSandbox()
  const twice: VisitFunction = async () => {
    await sendUse(sandbox.url)
    await sendUse(sandbox.url)
    return true
  }
  await visitedBy(sandbox, twice).drive(LIMITS).run(ADULT)
  const [second, first] = await sandbox.flows.list({ audit: 'also' })
  expect(first?.outcome).toBe('verified')
  expect(second?.outcome).toBe('access_denied')
})

test('A second Use request of a visit does not meet the decision for a later call', async () => {
  const sandbox = await startSandbox()
  const twice: VisitFunction = async () => {
    await sendUse(sandbox.url)
    await sendUse(sandbox.url)
    return true
  }
  const later = { flow: 'token', outcome: 'token.500' } as const
  const { isLaterMet } = await visitedBy(sandbox, twice)
    .drive(LIMITS)
    .run({ ...ADULT, later })
  expect(isLaterMet).toBe(false)
})

test('A visit leaves no decision in the queue', async () => {
  const { app, sandbox } = await startFunction(() => false)
  await app.drive(LIMITS).run(ADULT)
  expect(await sandbox.expectations.list()).toEqual([])
})

test('A visit that fails leaves no decision in the queue', async () => {
  const sandbox = await startSandbox()
  const app = visitedBy(sandbox, () => Promise.reject(new Error('no browser')))
  const { observation } = await app.drive(LIMITS).run(ADULT)
  expect(observation.summary).toBe('visit failed: no browser')
  expect(await sandbox.expectations.list()).toEqual([])
})

test('A visit during which another decision was used says so', async () => {
  const sandbox = await startSandbox()
  const visit: VisitFunction = async () => {
    await sandbox.next({ flow: 'use', outcome: 'access_denied' })
    for (let requests = 0; requests < 3; requests++) await sendUse(sandbox.url)
    return true
  }
  const { observation } = await visitedBy(sandbox, visit).drive(LIMITS).run(ADULT)
  expect(observation.summary).toMatch(/^something else uses the sandbox at the same time: /)
})

test.each([
  [{ use: { outcome: 'code_issued' } }, 'use/code_issued', 'upgrade'],
  [
    { use: { outcome: 'code_issued' }, later: { flow: 'token', outcome: 'token.500' } },
    'token/token.500',
    'upgrade',
  ],
  [
    { use: { outcome: 'create_requested' }, create: { outcome: 'created' } },
    'create/created',
    'create',
  ],
  [
    { use: { outcome: 'create_requested' }, later: { flow: 'par', outcome: 'par.500' } },
    'par/par.500',
    'create',
  ],
  [{ use: { persona: 'adult-passport' } }, 'use/verified', 'use'],
] as const)('The plan %j is the row %s of the flow %s', async (plan, row, flow) => {
  const seen: VisitDetails[] = []
  const { app } = await startFunction((details) => seen.push(details) === 0)
  await app.drive(LIMITS).run(plan)
  expect(seen[0]?.row).toBe(row)
  expect(seen[0]?.flow).toBe(flow)
})
