import { expect, onTestFinished, test } from 'vitest'
import { openTestSandbox, testFileOf } from '../../../src/tools/kits/test-sandbox.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('A test sandbox with url is the one there, reset when it is opened and left running in the end', async () => {
  const sandbox = await startSandbox()
  await sandbox.next({ persona: 'teen-16' })
  const { api, close } = await openTestSandbox({ url: sandbox.baseUrl })
  expect(await sandbox.expectations.list()).toEqual([])
  await api.next({ persona: 'child-12' })
  expect(await sandbox.expectations.list()).toMatchObject([{ persona: 'child-12' }])
  await close()
  expect(await sandbox.flows.list()).toEqual([])
})

test('A test sandbox with the url of a tenant is that tenant', async () => {
  const sandbox = await startSandbox()
  const { api } = await openTestSandbox({ url: `${sandbox.baseUrl}/t/ci` })
  await api.next({ persona: 'child-12' })
  expect(await sandbox.tenant('ci').expectations.list()).toMatchObject([{ persona: 'child-12' }])
  expect(api.baseUrl).toBe(`${sandbox.baseUrl}/t/ci`)
})

test('A test sandbox with url has the base URL of browsers, whatever the address by which it is driven', async () => {
  const sandbox = await startSandbox({
    baseUrl: 'http://sandbox.localhost:9999/age',
    controlToken: 'not-real',
  })
  const { api } = await openTestSandbox({ url: sandbox.url, controlToken: 'not-real' })
  expect(api.baseUrl).toBe('http://sandbox.localhost:9999/age')
})

test('A test sandbox with url and ownTenant is a new tenant there, which is removed when it is closed', async () => {
  const sandbox = await startSandbox()
  await sandbox.next({ persona: 'teen-16' })
  const { api, close } = await openTestSandbox({ url: sandbox.baseUrl, ownTenant: true })
  const [, name = ''] = /\/t\/(test-[^/]+)$/.exec(api.baseUrl) ?? []
  expect(api.baseUrl).toBe(`${sandbox.baseUrl}/t/${name}`)
  await api.next({ persona: 'child-12' })
  expect(await sandbox.expectations.list()).toMatchObject([{ persona: 'teen-16' }])
  expect(await sandbox.tenant(name).expectations.list()).toMatchObject([{ persona: 'child-12' }])
  await close()
  expect(await sandbox.tenant(name).expectations.list()).toEqual([])
})

test('A test sandbox with url refuses options of a sandbox that it does not start', async () => {
  const options: object = { persona: 'teen-16' }
  await expect(openTestSandbox({ url: 'http://localhost:2435', ...options })).rejects.toThrow(
    /^connectSandbox: persona: /,
  )
})

test('The file of a test is that of its task in Vitest', (context) => {
  expect(testFileOf(context)).toMatch(/test-sandbox\.test\.ts$/)
})

test('The file of a test is unknown in node:test', () => {
  expect(testFileOf({ name: 'inner', fullName: 'suite > inner' })).toBeUndefined()
})

test('The file of a test is told in Jest by the global expect', () => {
  const getState = () => ({ currentTestName: 'suite inner', testPath: '/app/a.test.js' })
  Reflect.set(
    globalThis,
    'expect',
    Object.assign(() => {}, { getState }),
  )
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'expect'))
  expect(testFileOf(undefined)).toBe('/app/a.test.js')
})

test.each([undefined, 'done', { task: null }])(
  'The file of a test is unknown in a runner that gives the context %j',
  (context) => {
    expect(testFileOf(context)).toBeUndefined()
  },
)
