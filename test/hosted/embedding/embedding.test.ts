import { describe, expect, it } from 'vitest'
import { press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
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
