import { describe, expect, test } from 'vitest'
import { type DrillOptions, drill } from '../../../src/audit.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { REDIRECT_URI } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { startVerificationsApp } from './verifications-app.ts'

/** Why a drill shows nothing. */
async function problemOf(sandbox: TestSandbox, options: DrillOptions): Promise<string> {
  const { message } = await drill(sandbox, options).then(
    (report) => expect.fail(`it ended with ${JSON.stringify(report)}`),
    (error: Error) => error,
  )
  expect(message).not.toContain('\n')
  return message
}

const never = () => false

describe('A drill by a function', () => {
  test('finds each verification that the app kept, and says what each was', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const adult = await app.prove()
    const teen = await app.prove({ sandbox_persona: 'teen-16' })
    const report = await drill(sandbox, { find: (sub) => app.kept.has(sub) })
    expect(report).toMatchObject({ found: 2, total: 2, spoiled: 0, exit_code: 0, asked: 'find' })
    expect(report.subs).toMatchObject([
      { sub: adult, flow: 'f1', persona: 'adult-passport', state: 'found', age_thresholds: { 18: true } },
      { sub: teen, flow: 'f2', persona: 'teen-16', state: 'found', age_thresholds: { 16: true, 18: false } },
    ])
    expect(report.subs[0]?.url).toBe(`${sandbox.baseUrl}/_sandbox/console/flows/f1`)
  })

  test('says which verifications an app that keeps only the last one has forgotten', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox, undefined, { keeps: 'last' })
    for (let count = 0; count < 3; count++) await app.prove()
    const { subs, found, total, exit_code: code } = await drill(sandbox, { find: (sub) => app.kept.has(sub) })
    expect({ found, total, code }).toEqual({ found: 1, total: 3, code: 1 })
    expect(subs.map(({ state }) => state)).toEqual(['not_found', 'not_found', 'found'])
    expect(subs[0]?.reason).toBe('find returned false')
  })

  test('asks for no answer that an outcome changed, and for each unusual one that is right', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    for (const sandbox_outcome of ['id_token.expired', 'callback.state_missing', 'id_token.aud_of_other_client']) {
      await app.prove({ sandbox_outcome })
    }
    const control = await app.prove({ sandbox_outcome: 'id_token.extra_claim' })
    await app.prove({ sandbox_outcome: 'access_denied' })
    const { subs, spoiled } = await drill(sandbox, { find: async () => false })
    expect(subs.map(({ sub }) => sub)).toEqual([control])
    expect(spoiled).toBe(3)
  })

  test('takes an answer for changed although a forced answer to a later call hides the outcome of its flow', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const adult = await app.prove()
    const party = createRelyingParty(sandbox)
    const code = await party.obtainCode({ sandbox_outcome: 'id_token.aud_of_other_client' })
    await sandbox.next({ flow: 'token', outcome: 'token.code_reused' })
    await party.exchange(code)
    expect(await sandbox.flows.get('f2')).toMatchObject({ outcome: 'token.code_reused' })
    const { subs, spoiled } = await drill(sandbox, { find: never })
    expect({ subs: subs.map(({ sub }) => sub), spoiled }).toEqual({ subs: [adult], spoiled: 1 })
  })

  test('does not need a verification that reaches no age, whether the app kept it or not', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const adult = await app.prove()
    await app.prove({ sandbox_persona: 'child-12' })
    const { subs, found, total, exit_code: code } = await drill(sandbox, { find: (sub) => sub === adult })
    expect({ found, total, code }).toEqual({ found: 1, total: 1, code: 0 })
    expect(subs[1]).toMatchObject({ needed: false, state: 'not_found' })
  })

  test('needs only the verifications that reach the age that the app lets users in from', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const adult = await app.prove()
    await app.prove({ sandbox_persona: 'teen-16' })
    const { subs, total, exit_code: code } = await drill(sandbox, { find: (sub) => sub === adult, age: 18 })
    expect({ total, code, needed: subs.map(({ needed }) => needed) }).toEqual({
      total: 1,
      code: 0,
      needed: [true, false],
    })
    expect(await problemOf(sandbox, { find: never, age: 25 })).toMatch(/says yes to 25, so that there is nothing/)
  })

  test('leaves out the flows whose answer the app rightly refused, and those before a flow', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    for (let count = 0; count < 3; count++) await app.prove()
    const { subs } = await drill(sandbox, { find: () => false, since: 'f1', skip: ['f2'] })
    expect(subs.map(({ flow }) => flow)).toEqual(['f3'])
    expect(await problemOf(sandbox, { find: never, skip: ['f9'] })).toBe(
      'skip: there is no flow with a sub "f9". Known are f1, f2, f3.',
    )
  })

  test('counts a sub that could not be asked for as missing, with the reason', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const [first, second] = [await app.prove(), await app.prove()]
    const find = (sub: string) => {
      if (sub === second) throw new Error('the database is locked')
      return sub === first
    }
    const { subs, found, exit_code: code } = await drill(sandbox, { find })
    expect({ found, code }).toEqual({ found: 1, code: 1 })
    expect(subs[1]).toMatchObject({ state: 'could_not_ask', reason: 'find threw "the database is locked"' })
  })
})

describe('A drill shows nothing', () => {
  test('when the app finds whatever it is asked for', async () => {
    const sandbox = await startSandbox()
    const { prove } = await startVerificationsApp(sandbox)
    await prove()
    expect(await problemOf(sandbox, { find: () => true })).toMatch(/^find: your app also finds a sub that it never rec/)
  })

  test('when the function gives no yes and no no', async () => {
    const sandbox = await startSandbox()
    const { prove } = await startVerificationsApp(sandbox)
    await prove()
    const find = (() => [{ sub: 1 }]) as unknown as DrillOptions['find']
    expect(await problemOf(sandbox, { find })).toMatch(/find must return true or false, found a list of 1$/)
    expect(await problemOf(sandbox, {} as DrillOptions)).toBe('drill: find must be a function, found nothing')
  })

  test('when the sandbox holds no flow, when none ended with an id_token, and after a reset', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    expect(await problemOf(sandbox, { find: never })).toMatch(
      /^the sandbox holds no flow: a reset and a restart of the sandbox forget its flows/,
    )
    await app.prove({ sandbox_outcome: 'access_denied' })
    expect(await problemOf(sandbox, { find: never })).toMatch(/^no flow ended with an id_token: /)
    await app.prove()
    expect(await problemOf(sandbox, { find: never, since: 'f2' })).toMatch(/^the sandbox holds no flow after f2: /)
    await sandbox.reset()
    expect(await problemOf(sandbox, { find: never })).toMatch(/^the sandbox holds no flow: /)
  })

  test('when no user reached any age', async () => {
    const sandbox = await startSandbox()
    const { prove } = await startVerificationsApp(sandbox)
    await prove({ sandbox_persona: 'child-12' })
    expect(await problemOf(sandbox, { find: never })).toMatch(/^no id_token .* says yes to an age/)
  })

  test('when several clients received an id_token and none is named, or an unknown one', async () => {
    const clients = ['web-shop', 'other'].map((clientId) => ({
      clientId,
      clientSecret: `${clientId}-secret`,
      redirectUris: [REDIRECT_URI],
    }))
    const sandbox = await startSandbox({ clients })
    for (const clientId of ['web-shop', 'other', 'other']) await createRelyingParty(sandbox, { clientId }).use()
    expect(await problemOf(sandbox, { find: never })).toContain('several clients: web-shop (1), other (2); say which')
    expect(await problemOf(sandbox, { find: never, clientId: 'webshop' })).toContain('Did you mean "web-shop"?')
    const { subs } = await drill(sandbox, { find: never, clientId: 'other' })
    expect(subs.map(({ flow }) => flow)).toEqual(['f2', 'f3'])
  })
})
