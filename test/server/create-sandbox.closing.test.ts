import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectSandbox } from '../../src/client/connect-sandbox.ts'
import type { SandboxApi } from '../../src/client/sandbox-api.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { startSandbox } from '../support/sandbox.ts'

const CLOSED = { name: 'SandboxError', status: 0, error: 'closed', message: expect.stringContaining('is closed') }

const SCENARIO = { name: 'A', steps: [{ await: 'par' as const }] }

/** A call of each member of an API, by the name of the member. */
const MEMBERS: Readonly<Record<string, (api: SandboxApi) => Promise<unknown>>> = {
  next: (api) => api.next({ persona: 'teen-16' }),
  'expectations.list': (api) => api.expectations.list(),
  'expectations.remove': (api) => api.expectations.remove('x-1'),
  'expectations.clear': (api) => api.expectations.clear(),
  'scenarios.arm': (api) => api.scenarios.arm(SCENARIO),
  'scenarios.list': (api) => api.scenarios.list(),
  'scenarios.get': (api) => api.scenarios.get('s-1'),
  'scenarios.remove': (api) => api.scenarios.remove('s-1'),
  'scenarios.clear': (api) => api.scenarios.clear(),
  'clock.state': (api) => api.clock.state(),
  'clock.advance': (api) => api.clock.advance(1),
  'clock.set': (api) => api.clock.set('2026-01-01'),
  'clock.freeze': (api) => api.clock.freeze(),
  'clock.reset': (api) => api.clock.reset(),
  'personas.list': (api) => api.personas.list(),
  'personas.get': (api) => api.personas.get('teen-16'),
  'personas.putAll': (api) => api.personas.putAll([{ name: 'own', title: 'Own', purpose: 'Put by a test.' }]),
  'personas.put': (api) => api.personas.put({ name: 'own', title: 'Own', purpose: 'Put by a test.' }),
  'personas.remove': (api) => api.personas.remove('teen-16'),
  'flows.list': (api) => api.flows.list(),
  'flows.get': (api) => api.flows.get('f1'),
  'flows.export': (api) => api.flows.export('f1', 'mermaid'),
  'flows.last': (api) => api.flows.last(),
  'flows.ended': (api) => api.flows.ended(),
  'flows.mark': (api) => api.flows.mark(),
  evaluate: (api) => api.evaluate({ claims: { age_thresholds: [18] }, persona: 'teen-16' }),
  'keys.rotate': (api) => api.keys.rotate('publish'),
  configure: (api) => api.configure({ outcome: 'access_denied' }),
  'coverage.get': (api) => api.coverage.get(),
  'coverage.clear': (api) => api.coverage.clear(),
  'coverage.name': (api) => api.coverage.name('a test'),
  readings: (api) => api.readings(),
  reset: (api) => api.reset(),
}

/** The names of all functions, those of its parts too. */
const functionsOf = (api: object): string[] =>
  Object.entries(api).flatMap(([name, member]) =>
    typeof member === 'function'
      ? [name]
      : typeof member === 'object' && member !== null
        ? functionsOf(member).map((part) => `${name}.${part}`)
        : [],
  )

/** A sandbox in this process, and a connection to one: each with what makes it close. */
const KINDS = {
  createSandbox: async () => createSandbox(),
  connectSandbox: async () => connectSandbox((await startSandbox()).url),
} as const

describe.each(['createSandbox', 'connectSandbox'] as const)('After close() of %s', (kind) => {
  test('every member rejects, of the sandbox and of a tenant, with an error that says so', async () => {
    const sandbox = await KINDS[kind]()
    const tenant = sandbox.tenant('one')
    expect(functionsOf(tenant).sort()).toEqual(Object.keys(MEMBERS).sort())
    const others = ['tenant', 'removeTenant', 'close']
    expect(functionsOf(sandbox).sort()).toEqual([...Object.keys(MEMBERS), ...others].sort())

    await sandbox.close()
    for (const [name, call] of Object.entries(MEMBERS)) {
      for (const api of [sandbox, tenant]) await expect(call(api), name).rejects.toMatchObject(CLOSED)
    }
    await expect(sandbox.removeTenant('one')).rejects.toMatchObject(CLOSED)
    expect(() => sandbox.tenant('two')).toThrow(expect.objectContaining(CLOSED))
  })

  test('what waits rejects at once, and close() again does nothing', async () => {
    const sandbox = await KINDS[kind]()
    const tenant = sandbox.tenant('one')
    const { id } = await tenant.scenarios.arm(SCENARIO)
    const waits = [
      sandbox.flows.ended({ timeoutSeconds: 60 }),
      tenant.flows.ended({ timeoutSeconds: 60, since: 'f0' }),
      tenant.scenarios.get(id, { waitSeconds: 60 }),
    ]
    await sandbox.clock.state()
    await Promise.all([sandbox.close(), sandbox.close(), sandbox[Symbol.asyncDispose]()])
    for (const wait of waits) await expect(wait).rejects.toMatchObject(CLOSED)
    await sandbox.close()
  })
})

test('A wait that is not awaited yet when its sandbox closes ends no process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const sandbox = await createSandbox()
  const { id } = await sandbox.scenarios.arm(SCENARIO)
  void sandbox.flows.ended({ timeoutSeconds: 60 })
  void sandbox.scenarios.get(id, { waitSeconds: 60 })
  await sandbox.close()
  await turn()
  expect(unhandled).toEqual([])
})

test('A sandbox that stops while a connection waits, or before it calls, is named with its address', async () => {
  const sandbox = await createSandbox()
  const connection = connectSandbox(sandbox.url)
  await connection.clock.state()
  const waiting = connection.flows.ended({ timeoutSeconds: 60, since: 'f0' })
  await connection.clock.state()
  await sandbox.close()
  const gone = { name: 'SandboxError', status: 0, error: 'unreachable' }
  const lost = `${sandbox.url}: the connection was lost before the answer came`
  await expect(waiting).rejects.toMatchObject({ ...gone, message: expect.stringContaining(lost) })
  const nothing = `${sandbox.url}: nothing listens there`
  await expect(connection.reset()).rejects.toMatchObject({ ...gone, message: expect.stringContaining(nothing) })
})
