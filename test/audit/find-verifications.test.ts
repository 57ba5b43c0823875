import { expect, test } from 'vitest'
import { type DrillOptions, drill } from '../../src/audit.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import type { Changes } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const never = () => false

/**
 * A sandbox that answered these users, with the `sub` of each id_token, also of tokens that apps
 * refuse.
 */
async function proved(...users: readonly Changes[]) {
  const sandbox = await startSandbox()
  const party = createRelyingParty(sandbox)
  const subs: string[] = []
  for (const changes of users) {
    const { params } = await party.use({ response_mode: 'query', ...changes })
    const [, payload = ''] = (params['id_token'] ?? '').split('.')
    subs.push(JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}').sub)
  }
  return { sandbox, subs, find: (options: DrillOptions) => drill(sandbox, options) }
}

const [ADULT, TEEN, CHILD] = [{}, { sandbox_persona: 'teen-16' }, { sandbox_persona: 'child-12' }]

test('An app that kept each verification finds all of them again', async () => {
  const { subs, find } = await proved(ADULT, TEEN)
  const asked: string[] = []
  const report = await find({ find: (sub) => asked.push(sub) > 0 && subs.includes(sub) })
  const evidence = 'your app found 2 of 2 verifications that it let a user in by'
  expect(report).toEqual({ verdict: 'holds', evidence, found: 2, total: 2, missing: [] })
  expect(asked.slice(1)).toEqual(subs)
})

test('Verifications that an app has forgotten, or could not be asked for, are missing with the reason', async () => {
  const { find, subs } = await proved(ADULT, ADULT, ADULT)
  const ask = (sub: string) => {
    if (sub === subs[1]) throw new Error('the database is locked')
    return sub === subs[2]
  }
  expect(await find({ find: ask })).toEqual({
    ...{ verdict: 'missing', found: 1, total: 3 },
    evidence:
      'your app found 1 of 3 verifications that it let a user in by; f1: find returned false',
    missing: [
      { flow: 'f1', sub: subs[0], reason: 'find returned false' },
      { flow: 'f2', sub: subs[1], reason: 'find threw "the database is locked"' },
    ],
  })
  expect(await find({ find: ask, flows: ['f3'] })).toMatchObject({ verdict: 'holds', total: 1 })
})

test('Only an unusual answer that is right is asked for', async () => {
  const outcomes = ['id_token.expired', 'callback.state_missing', 'id_token.aud_of_other_client']
  const all = [...outcomes, 'id_token.extra_claim', 'access_denied'].map((sandbox_outcome) => ({
    sandbox_outcome,
  }))
  const { find } = await proved(...all)
  expect(await find({ find: async () => false })).toMatchObject({
    total: 1,
    missing: [{ flow: 'f4' }],
  })
})

test('An answer counts as changed although a later forced answer hides the outcome of its flow', async () => {
  const { find, sandbox } = await proved(ADULT)
  const party = createRelyingParty(sandbox)
  const code = await party.obtainCode({ sandbox_outcome: 'id_token.aud_of_other_client' })
  await sandbox.next({ flow: 'token', outcome: 'token.code_reused' })
  await party.exchange(code)
  expect(await find({ find: never })).toMatchObject({ total: 1, missing: [{ flow: 'f1' }] })
})

test('An app needs only the verifications that reach an age, or the age that it lets users in from', async () => {
  const { find, subs } = await proved(ADULT, TEEN, CHILD)
  expect(await find({ find: (sub) => subs.slice(0, 2).includes(sub) })).toMatchObject({
    found: 2,
    total: 2,
  })
  expect(await find({ find: (sub) => sub === subs[0], age: 18 })).toMatchObject({
    verdict: 'holds',
    total: 1,
  })
  await expect(find({ find: never, age: 25 })).rejects.toThrow(
    /received no id_token unchanged that says yes to an age$/,
  )
})

test('A drill fails when the app finds a sub that it never received', async () => {
  const { find } = await proved(ADULT)
  await expect(find({ find: () => true })).rejects.toThrow(
    /^find: your app also finds a sub that it never received/,
  )
})

test('A drill fails when find gives no boolean', async () => {
  const { find } = await proved(ADULT)
  const list = (() => [{ sub: 1 }]) as unknown as DrillOptions['find']
  await expect(find({ find: list })).rejects.toThrow(
    /find must return true or false, found a list of 1$/,
  )
})

test('A drill fails without find', async () => {
  const { find } = await proved(ADULT)
  await expect(find({} as DrillOptions)).rejects.toThrow(
    'drill: find must be a function, found nothing',
  )
})
