import { describe, expect, test } from 'vitest'
import { openEndings, press, submit } from '../support/forms.ts'
import { tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const SIGNAL = ageSignal({ age: { years: 20 }, verified_at: '0001-01-01' })
const CONSOLE = ['flows', 'audit', 'coverage', 'personas', 'playground', 'outcomes', 'force']
CONSOLE.push('setup', 'readings', 'rules', 'tenants')

const openUse = async ({ request }: TestSandbox) => {
  const query = useRequest({ scope: 'openid svc.upgrade', can_create: 'true' })
  return (await request.get('/v1/oidc/use').query(query).expect(200)).text
}

async function openCreate(sandbox: TestSandbox) {
  const uri = await createRelyingParty(sandbox).obtainRequestUri({
    authorization_details: JSON.stringify([SIGNAL]),
  })
  return (await sandbox.request.get('/v1/oidc/create').query(createRequest(uri)).expect(200)).text
}

/** Opens the endings of a waiting page, whose buttons are part of it. */
const withEndings =
  (open: (sandbox: TestSandbox) => Promise<string>) => async (sandbox: TestSandbox) =>
    openEndings(sandbox, await open(sandbox))

const buttonsOf = (page: string) =>
  tagsOf(page).flatMap(({ name, attributes }) =>
    name === 'button' ? (attributes['data-testid'] ?? []) : [],
  )

/**
 * What the press of each button answers that ends a flow otherwise than by going back to the app.
 */
async function pressEach(sandbox: TestSandbox, open: (sandbox: TestSandbox) => Promise<string>) {
  const answers: [string, number][] = []
  // All outcomes are tried elsewhere; here one of each kind.
  const isTried = (id: string) =>
    !id.startsWith('outcome-') || /server_error|expired|code_issued|created/.test(id)
  for (const id of buttonsOf(await open(sandbox)).filter(
    (id) => id !== 'continue-anyway' && isTried(id),
  ))
    answers.push([id, (await submit(sandbox, press(await open(sandbox), id))).status])
  return answers.filter(([, status]) => status !== 303)
}

describe.each([
  ['the end of its calendar', '9999-12-31T23:59:59.999Z'],
  ['the beginning of its calendar', '0001-01-01T00:00:00Z'],
])('With the clock at %s', (_place, set) => {
  const start = async (freeze = true) => {
    const sandbox = await startSandbox()
    await sandbox.request.post('/_sandbox/clock').send({ set, freeze }).expect(200)
    return sandbox
  }

  test.each([true, false])(
    'Every page is shown at either end of the calendar (frozen: %s)',
    async (freeze) => {
      const sandbox = await start(freeze)
      for (const open of [openUse, openCreate]) await open(sandbox)
      await createRelyingParty(sandbox).use()
      const flows = (await sandbox.flows.list()).map(({ id }) => `flows/${id}`)
      const pages = [
        '',
        '_sandbox/demo',
        ...[...CONSOLE, ...flows].map((page) => `_sandbox/console/${page}`),
      ]
      for (const page of pages)
        expect((await sandbox.request.get(`/${page}`)).status, page).toBeLessThan(400)
    },
  )

  test('Every button of the hosted pages is answered at either end of the calendar', async () => {
    const sandbox = await start()
    for (const open of [openUse, openCreate]) {
      expect(await pressEach(sandbox, open)).toEqual([])
      expect(await pressEach(sandbox, withEndings(open))).toEqual([])
    }
  })

  test('Every server-to-server call is answered at either end of the calendar', async () => {
    const sandbox = await start()
    const party = createRelyingParty(sandbox)
    expect((await party.upgrade(await party.obtainToken(), [SIGNAL])).status).toBe(200)
  })

  test('Every list is answered at either end of the calendar', async () => {
    const sandbox = await start()
    const flows = (await sandbox.flows.list()).map(({ id }) => `flows/${id}`)
    for (const path of ['flows', 'personas', 'catalog', 'clock', 'tenants', ...flows])
      await sandbox.request.get(`/_sandbox/${path}`).expect(200)
    await sandbox.evaluate({ claims: { age_thresholds: [18] }, persona: 'turns-18-tomorrow' })
  })
})

test('A button that would move the clock beyond the calendar says so on a page', async () => {
  const SENTENCE = 'would pass the end of the year 9999; advance by less'
  const sandbox = await startSandbox()
  await sandbox.request.post('/_sandbox/clock').send({ set: '9999-12-31T23:59:00Z' }).expect(200)
  const { text } = await sandbox.request.get('/_sandbox/console/force')
  for (const id of buttonsOf(text).filter((id) => id.startsWith('advance-'))) {
    const shown = await submit(sandbox, press(text, id))
    expect(shown.status, id).toBe(400)
    expect(textOf(shown.text), id).toContain(SENTENCE)
  }
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})
