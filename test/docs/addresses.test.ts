import { expect, test } from 'vitest'
import { FLAGS } from '../../src/config/text-settings.ts'
import { readPage } from './page.ts'

const pages = ['addresses.md', 'replicas.md'].map((name) => [name, readPage(name)] as const)

test.each(pages)('every variable of %s that sets up the sandbox is one of its settings', (_name, page) => {
  const named = page.match(/AGEKEY_SANDBOX_[A-Z_]+/g) ?? []
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !FLAGS.some(({ variable }) => variable === name))).toEqual([])
})

test('addresses.md names each setting of an address by its key and its flag', () => {
  const [, page = ''] = pages.find(([name]) => name === 'addresses.md') ?? []
  const [, table = ''] = page.split('| Setting | Flag |')
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  const shown = rows.flatMap((row) => {
    const [keys = '', flags = ''] = row.split('|').slice(1)
    return (flags.match(/--[\w-]+/g) ?? []).map((flag, index) => `${(keys.match(/\w+/g) ?? [])[index]} ${flag}`)
  })
  expect(shown.length).toBeGreaterThan(7)
  expect(shown.filter((one) => !FLAGS.some(({ key, name }) => one === `${key} --${name}`))).toEqual([])
})
