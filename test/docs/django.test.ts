import { describe, expect, test } from 'vitest'
import { blocks, FILES, hasDjango, startDjangoApp } from './apps/django-app.ts'
import { describeApp } from './describe-app.ts'

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `# ${file}`))
})

describe.skipIf(!hasDjango)('with Django and PyJWT', () => {
  describeApp('The views for Django', startDjangoApp, { tolerates: ['jwks.redirect'] })
})
