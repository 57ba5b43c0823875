import { expect, test } from 'vitest'
import { packageRepository } from '../src/package-root.ts'

test.each([
  [{ url: 'git+https://github.com/owner/name.git' }, 'https://github.com/owner/name'],
  ['https://github.com/owner/name', 'https://github.com/owner/name'],
  [{ url: 'git+https://github.com/OWNER/name.git' }, undefined],
  [undefined, undefined],
  [{}, undefined],
])('The repository %j of package.json has the page %j', (repository, page) => {
  expect(packageRepository({ repository })).toBe(page)
})
