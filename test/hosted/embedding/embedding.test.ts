import { describe, expect, it, test } from 'vitest'
import { readCallback } from '../../support/callbacks.ts'
import { type FilledForm, formWithId, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const FRAMED = { 'Sec-Fetch-Dest': 'iframe' }

describe('a flow in an iframe', () => {
  it.each([
    ['a decision', { sandbox_persona: 'adult-passport' }],
    ['a refused request', { nonce: undefined }],
    ['a posted form', { sandbox_persona: 'adult-passport', response_mode: 'form_post' }],
  ])('ends with a page instead of the redirect of %s', async (_, changes) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/v1/oidc/use').set(FRAMED).query(useRequest(changes)).expect(200)
    expect(answer.headers.location).toBeUndefined()
    expect(byTestId(answer.text, 'ended-in-iframe')).toHaveLength(1)
    expect(tagsOf(answer.text).filter(({ name }) => name === 'form')).toEqual([])
  })

  it('names the parameters without their values', async () => {
    const sandbox = await startSandbox()
    const query = useRequest({ sandbox_persona: 'adult-passport', state: 'a-secret-state' })
    const { text } = await sandbox.request.get('/v1/oidc/use').set(FRAMED).query(query)
    expect(textOf(text)).toContain('id_token state')
    expect(text).not.toMatch(/eyJ|a-secret-state/)
  })

  it('ends with a page when only the form request, or only a script of the page, reports the iframe', async () => {
    const sandbox = await startSandbox()
    const open = async () => (await sandbox.request.get('/v1/oidc/use').query(useRequest())).text
    const byHeader = press(await open(), 'use')
    const fromFrame = await sandbox.request.post(byHeader.action).set(FRAMED).send(String(byHeader.fields))
    const byScript = press(await open(), 'use')
    byScript.fields.set('framed', 'true')
    for (const answer of [fromFrame, await submit(sandbox, byScript)]) {
      expect(byTestId(answer.text, 'ended-in-iframe')).toHaveLength(1)
    }
  })

  it('may be embedded on any site, as the service may', async () => {
    const sandbox = await startSandbox()
    const { headers } = await sandbox.request.get('/v1/oidc/use').set(FRAMED).query(useRequest())
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['content-security-policy']).not.toContain('frame-ancestors')
  })

  it('the page about iframes may frame the sandbox and nothing else', async () => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/_sandbox/embedding')
    expect(answer.headers['content-security-policy']).toContain("frame-src 'self'")
    const frames = tagsOf(answer.text).filter(({ name }) => name === 'iframe')
    expect(frames.map(({ attributes }) => attributes['allow'])).toEqual([
      'publickey-credentials-get',
      "publickey-credentials-get 'none'",
    ])
    for (const { attributes } of frames) {
      await sandbox.request
        .get(attributes['src'] ?? '')
        .set(FRAMED)
        .expect(200)
    }
  })
})

const ANDROID_WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 Version/4.0 Chrome/126 Mobile Safari/537.36'
const WEB_VIEW = { 'User-Agent': ANDROID_WEB_VIEW }

const buttonsOf = (page: string) =>
  tagsOf(page).flatMap(({ name, attributes }) => (name === 'button' && attributes['data-testid']) || [])

describe.each(['use', 'create'] as const)('the %s page in a plain embedded web view', (flow) => {
  /** Without scripts. */
  async function open() {
    const sandbox = await startSandbox()
    const query =
      flow === 'use' ? useRequest() : createRequest(await createRelyingParty(sandbox).obtainRequestUri(), {})
    const page = await sandbox.request.get(`/v1/oidc/${flow}`).set(WEB_VIEW).query(query).expect(200)
    const send = ({ action, fields }: FilledForm) => sandbox.request.post(action).set(WEB_VIEW).send(String(fields))
    return { sandbox, page: page.text, send }
  }
  const main = flow === 'use' ? 'use' : 'save'

  test('says why no age key works there, and offers only to go back or to continue', async () => {
    const { page, send } = await open()
    expect(textOf(page)).toMatch(/lacks passkeys, so no age key can be created or used here.*Custom Tabs/)
    expect(buttonsOf(page)).toEqual(['continue-anyway', 'decline'])
    const { params } = readCallback(await send(press(page, 'decline')))
    expect(params).toMatchObject({ error: 'access_denied', state: 'state-1' })
  })

  test('is the usual page after continue anyway, and stays so when its language is changed', async () => {
    const { page, send } = await open()
    const continued = await send(formWithId(page, 'continue-form'))
    expect(buttonsOf(continued.text)).toEqual(expect.arrayContaining([main, 'decline']))
    expect(buttonsOf(continued.text)).not.toContain('continue-anyway')
    const language = formWithId(continued.text, 'language-form')
    language.fields.set('language', 'de')
    const german = await send(language)
    expect(german.headers['content-language']).toBe('de')
    expect(buttonsOf(german.text)).toContain(main)
    expect(Object.keys(readCallback(await send(press(german.text, main))).params)).toContain('state')
  })

  test('is recorded with advice, which the page leaves to its own notice', async () => {
    const { sandbox, page } = await open()
    const call = (await sandbox.flows.last())?.calls.at(-1)
    expect(call?.findings.map(({ rule, level }) => [rule, level])).toEqual([['USE-19', 'advice']])
    expect(page).not.toContain('USE-19')
  })
})

describe('a Create page in an iframe whose script found that the permission is denied', () => {
  /** Presses save as the script of the page fills the form. */
  async function save(fields: Readonly<Record<string, string>>) {
    const sandbox = await startSandbox()
    const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri())
    const { text } = await sandbox.request.get('/v1/oidc/create').set(FRAMED).query(query)
    const form = press(text, 'save')
    for (const [name, value] of Object.entries(fields)) form.fields.set(name, value)
    const answer = await submit(sandbox, form)
    const personas = await sandbox.personas.list()
    const isSaved = personas.find(({ name }) => name === 'no-age-key')?.age_key !== undefined
    return { sandbox, answer, isSaved }
  }

  test('saves nothing, says so, and records it as advice', async () => {
    const { sandbox, answer, isSaved } = await save({ framed: 'true', permission: 'denied', continued: 'true' })
    expect(isSaved).toBe(false)
    expect(byTestId(answer.text, 'unsaved')).toHaveLength(1)
    const call = (await sandbox.flows.last())?.calls.at(-1)
    expect(call?.findings).toMatchObject([
      { rule: 'USE-20', level: 'advice', message: expect.stringContaining('no age key was saved') },
    ])
  })

  test.each([{ framed: 'true', permission: 'allowed' }, { framed: 'true' }])('saves with %j', async (fields) => {
    const { answer, isSaved } = await save(fields)
    expect([isSaved, byTestId(answer.text, 'unsaved')]).toEqual([true, []])
  })

  test('is not believed outside of an iframe, where a callback would say that the key was saved', async () => {
    const { answer, isSaved } = await save({ permission: 'denied' })
    expect([isSaved, answer.status]).toEqual([true, 303])
  })
})

describe('a scripted flow', () => {
  test.each([
    ['a web view', WEB_VIEW, 'USE-19'],
    ['an iframe', FRAMED, 'USE-20'],
  ])('in %s proceeds with advice', async (_, headers, rule) => {
    const sandbox = await startSandbox()
    const changes = { sandbox_persona: 'no-age-key' }
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
    for (const [path, query, outcome] of [
      ['/v1/oidc/create', createRequest(requestUri, changes), 'created'],
      ['/v1/oidc/use', useRequest(changes), 'verified'],
    ] as const) {
      await sandbox.request.get(path).set(headers).query(query)
      const flow = await sandbox.flows.last()
      expect(flow?.outcome).toBe(outcome)
      expect(flow?.calls.at(-1)?.findings.map((one) => [one.rule, one.level])).toEqual([[rule, 'advice']])
    }
  })
})
