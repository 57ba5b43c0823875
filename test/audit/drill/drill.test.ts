import { expect, test } from 'vitest'
import { type DrillOptions, drill } from '../../../src/audit.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, REDIRECT_URI } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { startVerificationsApp } from './verifications-app.ts'

async function problemOf(sandbox: TestSandbox, options: DrillOptions): Promise<string> {
  const { message } = await drill(sandbox, options).then(
    (report) => expect.fail(`it ended with ${JSON.stringify(report)}`),
    (error: Error) => error,
  )
  expect(message).not.toContain('\n')
  return message
}

const never = () => false

/** A sandbox, and an app to which users proved ages: what each of them asked for. */
async function proved(...users: readonly Changes[]) {
  const sandbox = await startSandbox()
  const { prove } = await startVerificationsApp(sandbox)
  const subs: string[] = []
  for (const user of users) subs.push(await prove(user))
  return { sandbox, prove, subs, drill: (options: DrillOptions) => drill(sandbox, options) }
}

const [ADULT, TEEN, CHILD] = [{}, { sandbox_persona: 'teen-16' }, { sandbox_persona: 'child-12' }]

test('A drill finds each verification that the app kept, and says what each was', async () => {
  const { sandbox, subs, drill } = await proved(ADULT, TEEN)
  const report = await drill({ find: (sub) => subs.includes(sub) })
  expect(report).toMatchObject({ found: 2, total: 2, spoiled: 0, exit_code: 0, asked: 'find' })
  expect(report.subs).toMatchObject([
    { sub: subs[0], flow: 'f1', persona: 'adult-passport', state: 'found', age_thresholds: { 18: true } },
    { sub: subs[1], flow: 'f2', persona: 'teen-16', state: 'found', age_thresholds: { 16: true, 18: false } },
  ])
  expect(report.subs[0]?.url).toBe(`${sandbox.baseUrl}/_sandbox/console/flows/f1`)
})

test('A drill says which verifications an app has forgotten, and which it could not be asked for, with the reason', async () => {
  const { drill, subs } = await proved(ADULT, ADULT, ADULT)
  const find = (sub: string) => {
    if (sub === subs[1]) throw new Error('the database is locked')
    return sub === subs[2]
  }
  const report = await drill({ find })
  expect(report).toMatchObject({ found: 1, total: 3, exit_code: 1 })
  expect(report.subs).toMatchObject([
    { state: 'not_found', reason: 'find returned false' },
    { state: 'could_not_ask', reason: 'find threw "the database is locked"' },
    { state: 'found' },
  ])
})

test('A drill asks for no answer that an outcome changed, and for each unusual one that is right', async () => {
  const outcomes = ['id_token.expired', 'callback.state_missing', 'id_token.aud_of_other_client']
  const all = [...outcomes, 'id_token.extra_claim', 'access_denied'].map((sandbox_outcome) => ({ sandbox_outcome }))
  const { drill, subs } = await proved(...all)
  expect(await drill({ find: async () => false })).toMatchObject({ subs: [{ sub: subs[3] }], spoiled: 3 })
})

test('A drill takes an answer for changed although a later forced answer hides the outcome of its flow', async () => {
  const { drill, sandbox, subs } = await proved(ADULT)
  const party = createRelyingParty(sandbox)
  const code = await party.obtainCode({ sandbox_outcome: 'id_token.aud_of_other_client' })
  await sandbox.next({ flow: 'token', outcome: 'token.code_reused' })
  await party.exchange(code)
  expect(await sandbox.flows.get('f2')).toMatchObject({ outcome: 'token.code_reused' })
  expect(await drill({ find: never })).toMatchObject({ subs: [{ sub: subs[0] }], spoiled: 1 })
})

test('A drill needs only the verifications that reach an age, or the age that the app lets users in from', async () => {
  const { drill, sandbox, subs } = await proved(ADULT, TEEN, CHILD)
  const report = await drill({ find: (sub) => subs.slice(0, 2).includes(sub) })
  expect(report).toMatchObject({ found: 2, total: 2, exit_code: 0 })
  expect(report.subs).toMatchObject([{ needed: true }, { needed: true }, { needed: false, state: 'not_found' }])
  const adults = await drill({ find: (sub) => sub === subs[0], age: 18 })
  expect(adults).toMatchObject({ total: 1, exit_code: 0, subs: [{ needed: true }, { needed: false }, {}] })
  expect(await problemOf(sandbox, { find: never, age: 25 })).toMatch(/says yes to 25, so that there is nothing/)
  expect(await problemOf(sandbox, { find: never, since: 'f2' })).toMatch(/^no id_token .* says yes to an age/)
})

test('A drill leaves out the flows whose answer the app rightly refused, and those before a flow', async () => {
  const { drill, sandbox } = await proved(ADULT, ADULT, ADULT)
  expect(await drill({ find: never, since: 'f1', skip: ['f2'] })).toMatchObject({ subs: [{ flow: 'f3' }] })
  const message = 'skip: there is no flow with a sub "f9". Known are f1, f2, f3.'
  expect(await problemOf(sandbox, { find: never, skip: ['f9'] })).toBe(message)
})

test('A drill shows nothing when the app finds whatever it is asked for, or gives no yes and no no', async () => {
  const { sandbox } = await proved(ADULT)
  expect(await problemOf(sandbox, { find: () => true })).toMatch(/^find: your app also finds a sub that it never rec/)
  const find = (() => [{ sub: 1 }]) as unknown as DrillOptions['find']
  expect(await problemOf(sandbox, { find })).toMatch(/find must return true or false, found a list of 1$/)
  expect(await problemOf(sandbox, {} as DrillOptions)).toBe('drill: find must be a function, found nothing')
})

test('A drill shows nothing when the sandbox holds no flow, when none ended with an id_token, and after a reset', async () => {
  const { sandbox, prove } = await proved()
  const why = (since?: string) => problemOf(sandbox, { find: never, ...(since && { since }) })
  expect(await why()).toMatch(/^the sandbox holds no flow: a reset and a restart of the sandbox forget its flows/)
  await prove({ sandbox_outcome: 'access_denied' })
  expect(await why()).toMatch(/^no flow ended with an id_token: /)
  await prove()
  expect(await why('f2')).toMatch(/^the sandbox holds no flow after f2: /)
  await sandbox.reset()
  expect(await why()).toMatch(/^the sandbox holds no flow: /)
})

test('A drill shows nothing when several clients received an id_token and none is named, or an unknown one', async () => {
  const ids = ['web-shop', 'other']
  const clients = ids.map((clientId) => ({ clientId, clientSecret: 's', redirectUris: [REDIRECT_URI] }))
  const sandbox = await startSandbox({ clients })
  for (const clientId of [...ids, 'other']) await createRelyingParty(sandbox, { clientId }).use()
  expect(await problemOf(sandbox, { find: never })).toContain('several clients: web-shop (1), other (2); say which')
  expect(await problemOf(sandbox, { find: never, clientId: 'webshop' })).toContain('Did you mean "web-shop"?')
  const report = await drill(sandbox, { find: never, clientId: 'other' })
  expect(report.subs.map(({ flow }) => flow)).toEqual(['f2', 'f3'])
})
