import { expect, test } from 'vitest'
import { RULES } from '../../src/service/oidc/rules/rules.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('mobile.md')
const [, schemeProblem = ''] = /the start ends with `([^`]+)`/.exec(page) ?? []
const DECIDED = { sandbox_persona: 'adult-passport' }
const client = { clientId: 'web-shop', clientSecret: 'not-a-real-secret' }

test('The config file of mobile.md has three addresses that can be registered', async () => {
  const redirectUris = codeBlocks(page, 'yaml')[0]?.match(/https?:\/\/\S+/g) ?? []
  const sandbox = await startSandbox({ clients: [{ ...client, redirectUris }] })
  expect(redirectUris).toHaveLength(3)
  for (const redirectUri of redirectUris) {
    const asked = useRequest({ ...DECIDED, client_id: 'web-shop', redirect_uri: redirectUri })
    expect((await sandbox.request.get('/v1/oidc/use').query(asked)).headers['location']).toContain(
      redirectUri,
    )
  }
})

test('A custom scheme of a client is refused at the start as mobile.md says', async () => {
  expect(schemeProblem).not.toBe('')
  const clients = [{ ...client, redirectUris: ['myapp://callback'] }]
  await expect(startSandbox({ clients })).rejects.toThrow(schemeProblem)
})

test('mobile.md names what opens a flow in the place of a web view, as the hint of the rule does', () => {
  const names = ['Custom Tabs', 'ASWebAuthenticationSession', 'SFSafariViewController']
  const hints = RULES.flatMap(({ hint }) =>
    names.every((name) => hint.includes(name)) ? [hint] : [],
  )
  expect(hints).toHaveLength(1)
  expect(names.filter((name) => !page.includes(name))).toEqual([])
})
