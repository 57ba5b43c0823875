import { expect, it } from 'vitest'
import { byTestId, textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const CLIENTS = '/_sandbox/console/clients'
const WEB_SHOP = {
  clientId: 'web-shop',
  clientSecret: 'the-secret-of-the-shop',
  name: 'Web shop',
  redirectUris: ['https://shop.example/callback'],
  signingAlg: 'ES256' as const,
  persona: 'teen-16',
}

it('the clients page shows addresses, algorithm, persona and credentials of each client', async () => {
  const { request } = await startSandbox({ clients: [WEB_SHOP] })
  const text = textOf((await request.get(CLIENTS)).text)
  for (const part of [
    'Web shop',
    'https://shop.example/callback',
    'ES256',
    'teen-16',
    'AGE_CLIENT_SECRET=the-secret-of-the-shop',
  ])
    expect(text).toContain(part)
})

it('the clients page says in words what is registered for the built-in client', async () => {
  const { request } = await startSandbox()
  const { text } = await request.get(CLIENTS)
  expect(byTestId(text, 'client-ak_test_sandbox')).toHaveLength(1)
  expect(textOf(text)).toContain('Any path and any port on localhost')
})

it('the clients page shows no secret of the config beyond this machine', async () => {
  const token = 'a-control-token-of-the-test'
  const { request } = await startSandbox({ host: '0.0.0.0', controlToken: token, clients: [WEB_SHOP] })
  const { status, text } = await request.get(CLIENTS).set('Authorization', `Bearer ${token}`)
  expect([status, text.includes('web-shop'), text.includes(WEB_SHOP.clientSecret)]).toEqual([200, true, false])
})
