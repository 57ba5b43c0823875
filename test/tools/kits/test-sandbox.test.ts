import { expect, onTestFinished, test } from 'vitest'
import { describeTest, openTestSandbox } from '../../../src/tools/kits/test-sandbox.ts'
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

/** A task of Vitest, whose context is a function. */
function contextOf(...names: string[]) {
  const file = { name: 'a.test.ts', filepath: '/app/a.test.ts' }
  const suite = names.slice(0, -1).reduce<object>((parent, name) => ({ name, suite: parent }), file)
  return Object.assign(() => {}, { task: { name: names.at(-1), suite, file } })
}

test('A test is described by its task in Vitest: the names of its suites and its own, and its file', (context) => {
  expect(describeTest(contextOf('a shop', 'with a basket', 'lets an adult in'))).toEqual({
    name: 'a shop > with a basket > lets an adult in',
    file: '/app/a.test.ts',
  })
  expect(describeTest(contextOf('lets an adult in')).name).toBe('lets an adult in')
  expect(describeTest(context)).toEqual({
    name: expect.stringMatching(/^A test is described by its task in Vitest/),
    file: expect.stringMatching(/test-sandbox\.test\.ts$/),
  })
})

test('A test is described by its context in node:test, whose older versions know no full name', () => {
  expect(describeTest({ name: 'inner', fullName: 'suite > inner' })).toEqual({
    name: 'suite > inner',
  })
  expect(describeTest({ name: 'inner' })).toEqual({ name: 'inner' })
})

test('A test is described in Jest by the global expect, and not at all by another runner', () => {
  const getState = () => ({ currentTestName: 'suite inner', testPath: '/app/a.test.js' })
  Reflect.set(
    globalThis,
    'expect',
    Object.assign(() => {}, { getState }),
  )
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'expect'))
  expect(describeTest(undefined)).toEqual({ name: 'suite inner', file: '/app/a.test.js' })
  Reflect.deleteProperty(globalThis, 'expect')
  expect([describeTest(undefined), describeTest('done')]).toEqual([{}, {}])
  expect(describeTest({ task: null, name: 5 })).toEqual({ name: undefined })
})
