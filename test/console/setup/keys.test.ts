import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'

const SETUP = '/_sandbox/console/setup'

test('The page Setup takes the keys through the stages of a rotation, and refuses a stage out of turn', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  const kids = async () => (await sandbox.request.get('/.well-known/jwks.json')).body.keys.map(kidOf)
  const kidOf = ({ kid }: { kid: string }) => kid
  const before = await kids()
  const tooEarly = await browser.submit(SETUP, { rotate: 'use' })
  expect([tooEarly.status, textOf(tooEarly.text)]).toEqual([409, expect.stringContaining('publish another one first')])
  expect((await browser.submit(SETUP, { rotate: 'rotate' })).status).toBe(400)
  await browser.submit(SETUP, { rotate: 'publish' })
  expect((await kids()).slice(0, before.length)).toEqual(before)
  expect((await kids()).length).toBe(2 * before.length)
  await browser.submit(SETUP, { rotate: 'use' })
  await browser.submit(SETUP, { rotate: 'retire' })
  const after = await kids()
  expect(after.filter((kid: string) => before.includes(kid))).toEqual([])
  const text = textOf((await browser.get(SETUP)).text)
  expect(text).toContain(`${after[0]} RS256 signs`)
  expect(text).toContain('Keys rotated')
})
