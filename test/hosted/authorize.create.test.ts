import { describe, expect, test } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { press } from '../support/forms.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, type Changes, claims, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('E3 answers', () => {
  test('the pushed state in the query and nothing else when the age key was created', async () => {
    const rp = createRelyingParty(await startSandbox())
    const callback = await rp.create(await rp.obtainRequestUri({ state: 'pushed ü+&' }))
    expect(callback).toEqual({
      mode: 'query',
      address: 'http://localhost:3000/callback',
      params: { state: 'pushed ü+&' },
    })
  })

  test('access_denied and state when the user declines', async () => {
    const rp = createRelyingParty(await startSandbox())
    const { params, mode } = await rp.create(await rp.obtainRequestUri(), { sandbox_outcome: 'access_denied' })
    expect(mode).toBe('query')
    expect(params).toEqual({ error: 'access_denied', error_description: expect.any(String), state: 'state-1' })
  })

  test('in the query of a redirect_uri that has one already', async () => {
    const redirect_uri = 'http://localhost:3000/cb?a=b'
    const sandbox = await startSandbox()
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri({ redirect_uri })
    const query = createRequest(requestUri, { redirect_uri, sandbox_persona: 'teen-16' })
    const answer = await sandbox.request.get('/v1/oidc/create').query(query)
    expect(answer.headers.location).toBe('http://localhost:3000/cb?a=b&state=state-1')
  })
})

describe('E3 redirects an error', () => {
  test('in the query, with the pushed state', async () => {
    const rp = createRelyingParty(await startSandbox())
    const { params, mode } = await rp.create(await rp.obtainRequestUri(), { scope: 'profile' })
    expect(mode).toBe('query')
    const error_description = expect.stringContaining('CRE-04')
    expect(params).toEqual({ error: 'invalid_scope', error_description, state: 'state-1' })
  })
})

describe('E3 takes a request_uri', () => {
  test('for as long as the config says', async () => {
    const sandbox = await startSandbox({ lifetimes: { requestUri: 5 } })
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    expect((await rp.push()).body).toMatchObject({ expires_in: 5 })
    const requestUri = await rp.obtainRequestUri()
    await sandbox.clock.advance(5)
    expect((await rp.create(requestUri)).params).toMatchObject({ error: 'invalid_request_uri' })
  })

  test('again while no decision was taken: the page can be reloaded', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const requestUri = await rp.obtainRequestUri()
    for (const _reload of [1, 2, 3]) {
      const page = await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri)).expect(200)
      expect(page.text).toContain('data-testid="save"')
    }
    expect((await rp.create(requestUri)).params).toEqual({ state: 'state-1' })
  })
})

test('E3 with another redirect_uri than the pushed one is a page, never a redirect, and spends nothing', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const requestUri = await rp.obtainRequestUri()
  const query = createRequest(requestUri, { redirect_uri: 'http://localhost:3000/other', sandbox_persona: 'teen-16' })
  const answer = await sandbox.request.get('/v1/oidc/create').query(query).expect(400)
  expect(answer.headers.location).toBeUndefined()
  expect(answer.text).toContain('CRE-03')
  expect((await rp.create(requestUri)).params).toEqual({ state: 'state-1' })
})

describe('The page of E3 preselects', () => {
  /** A browser, with what the page of E3 preselects in it. */
  async function startBrowser() {
    const sandbox = await startSandbox()
    const browser = createBrowserClient(sandbox.url)
    const use = (changes: Changes) => browser.get(`/v1/oidc/use?${new URLSearchParams(useRequest(changes))}`)
    const preselected = async () => {
      const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
      const { text } = await browser.get(`/v1/oidc/create?${new URLSearchParams(query)}`)
      return press(text, 'save').fields.get('persona')
    }
    return { sandbox, browser, use, preselected }
  }

  test('no-age-key in a browser that has not used an age key, so that a click overwrites nothing', async () => {
    const { preselected } = await startBrowser()
    expect(await preselected()).toBe('no-age-key')
  })

  test.each(['no-age-key', 'teen-16'])('%s, when a click on the page of E1 chose it in this browser', async (name) => {
    const { browser, use, preselected } = await startBrowser()
    const { action, fields } = press((await use({})).text, `persona-${name}`)
    expect((await browser.submit(action, Object.fromEntries(fields))).status).toBe(303)
    expect(await preselected()).toBe(name)
  })

  test('the persona of the last Use that a script decided in this browser', async () => {
    const { use, preselected } = await startBrowser()
    await use({ sandbox_persona: 'teen-14' })
    await use({ sandbox_persona: 'teen-16' })
    expect(await preselected()).toBe('teen-16')
  })

  test('no-age-key after a Use in which the user asked to create an age key and no persona was named', async () => {
    const { use, preselected } = await startBrowser()
    await use({ sandbox_persona: 'adult-passport' })
    expect(await preselected()).toBe('adult-passport')
    await use({ can_create: 'true', sandbox_outcome: 'create_requested' })
    expect(await preselected()).toBe('no-age-key')
  })

  test('no-age-key when the persona of the last Use does not exist any more', async () => {
    const { sandbox, use, preselected } = await startBrowser()
    await use({ sandbox_persona: 'teen-16' })
    await sandbox.personas.remove('teen-16')
    expect(await preselected()).toBe('no-age-key')
  })
})

test('E3 that a script ends with created and no persona saves for no-age-key, and leaves adult-passport as it was', async () => {
  const rp = createRelyingParty(await startSandbox())
  const authorization_details = JSON.stringify([ageSignal({ age: { years: 15 } })])
  const requestUri = await rp.obtainRequestUri({ authorization_details })
  await rp.create(requestUri, { sandbox_persona: undefined, sandbox_outcome: 'created' })
  const thresholdsOf = async (sandbox_persona: string) => idTokenOf(await rp.use({ sandbox_persona })).age_thresholds
  expect(await thresholdsOf('no-age-key')).toEqual({ 13: true, 16: false, 18: false, 21: false })
  expect(await thresholdsOf('adult-passport')).toMatchObject({ 21: true })
})

describe('E3 saves', () => {
  const teen = JSON.stringify([ageSignal({ age: { years: 15 } })])

  test('the submitted signals and replaces the age key of the persona', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri({ authorization_details: teen }), { sandbox_persona: 'adult-passport' })
    expect(idTokenOf(await rp.use({ sandbox_persona: 'adult-passport' })).age_thresholds).toEqual({
      13: true,
      16: false,
      18: false,
      21: false,
    })
  })

  test('an age key for a persona that had none', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri(), { sandbox_persona: 'no-age-key' })
    expect(idTokenOf(await rp.use({ sandbox_persona: 'no-age-key' })).age_thresholds).toMatchObject({ 21: true })
  })

  test('nothing when the user declines', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.create(await rp.obtainRequestUri({ authorization_details: teen }), { sandbox_outcome: 'access_denied' })
    expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
  })

  test('a new key as a new persona, offered on the choice page from then on', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const before = (await sandbox.personas.list()).map(({ name }) => name)
    const requestUri = await rp.obtainRequestUri({ authorization_details: teen })
    await rp.create(requestUri, { sandbox_persona: undefined, sandbox_outcome: 'created_new' })
    const added = (await sandbox.personas.list()).map(({ name }) => name).filter((name) => !before.includes(name))
    expect(added).toHaveLength(1)
    const sandbox_persona = added[0]
    expect(idTokenOf(await rp.use({ sandbox_persona })).age_thresholds).toMatchObject({ 13: true, 16: false })
    expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
  })

  test('the ISO 27566-1 level that the config certifies, else none', async () => {
    const certifications = { '/veratad/roc': { id_doc_scan: 'effective' } } as const
    const asked = { claims: claims({ age_thresholds: [18], iso_27566_1: 'effective' }) }
    const answers = await Promise.all(
      [{ certifications }, {}].map(async (options) => {
        const rp = createRelyingParty(await startSandbox(options))
        await rp.create(await rp.obtainRequestUri())
        return idTokenOf(await rp.use(asked)).age_thresholds
      }),
    )
    expect(answers).toEqual([{ 18: true }, { 18: false }])
  })
})
