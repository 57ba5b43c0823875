import { expect, test } from 'vitest'
import { renderSetup } from '../../../src/console/setup/setup.ts'
import { tagsOf, textOf } from '../../support/markup.ts'
import { frame, settings } from '../views.ts'

test('The page Setup lists the endpoints and discovery documents, and leads to the demo app and to the control API', () => {
  const view = { showsSecrets: true, signingAlg: 'RS256' }
  const keys = { published: [], signing: '' }
  const page = renderSetup(frame, { settings, clients: [], view, keys, fields: {} })
  expect(textOf(page)).toContain('E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: add age signals')
  expect(textOf(page)).toContain(
    'E6 GET http://localhost:2435/v1/oidc/use/.well-known/openid-configuration Use discovery',
  )
  const hrefs = tagsOf(page).map(({ attributes }) => attributes['href'])
  const links = ['demo', 'embedding', 'openapi.json'].map((path) => `/t/qa/_sandbox/${path}`)
  expect(hrefs).toEqual(expect.arrayContaining(links))
})
