import { expect, test } from 'vitest'
import { textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${WEBKIT}`
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
const IN_IOS = 'ASWebAuthenticationSession, SFSafariViewController'

test.each([
  ['A web view on Android', `Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) ${CHROME}`, 'Custom Tabs'],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`, undefined],
  ['A web view on iOS', `${IPHONE} Mobile/15E148`, IN_IOS],
  ['Safari on iOS', `${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, undefined],
  ['Chrome on a desk', `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, undefined],
])('%s is told of the components that have passkeys only where it has none', async (_, userAgent, components) => {
  const { text } = await sandbox.request.get('/v1/oidc/use').set('User-Agent', userAgent).query(useRequest())
  expect(text.includes('data-testid="web-view"')).toBe(components !== undefined)
  if (components !== undefined) expect(textOf(text)).toContain(components)
})
