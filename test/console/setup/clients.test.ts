import { expect, test } from 'vitest'
import { byTestId, textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { WEB_SHOP } from '../views.ts'

const SETUP = '/_sandbox/console/setup'

test('The page Setup shows what is registered for each client, and says so in words for the built-in client', async () => {
  const { request } = await startSandbox({ clients: [WEB_SHOP] })
  const { text } = await request.get(SETUP)
  const registered = ['Web shop', 'https://shop.example/callback', 'ES256', 'teen-16']
  for (const part of [...registered, 'AGE_CLIENT_SECRET=the-secret-of-the-shop', 'Any path and any port on localhost'])
    expect(textOf(text)).toContain(part)
  expect(byTestId(text, 'client-ak_test_sandbox')).toHaveLength(1)
})

test('The page Setup shows no secret of the config beyond this machine', async () => {
  const token = 'a-control-token-of-the-test'
  const { request } = await startSandbox({ host: '0.0.0.0', controlToken: token, clients: [WEB_SHOP] })
  const { status, text } = await request.get(SETUP).set('Authorization', `Bearer ${token}`)
  expect([status, text.includes('web-shop'), text.includes(WEB_SHOP.clientSecret)]).toEqual([200, true, false])
})

test('The page Setup leads from each page to the next one', async () => {
  const clients = Array.from({ length: 51 }, (_, n) => ({ ...WEB_SHOP, clientId: `shop-${n}` }))
  const { request } = await startSandbox({ clients })
  const read = async (query = '') => (await request.get(SETUP + query)).text
  const first = await read()
  const second = await read(/href="(\?after=[^"]+)"/.exec(first)?.[1])
  const idsOn = (page: string): string[] => page.match(/(?<=data-testid="client-)[\w-]+/g) ?? []
  expect([idsOn(first).length, new Set([...idsOn(first), ...idsOn(second)]).size]).toEqual([50, 52])
})
