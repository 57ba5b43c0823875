import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectSandbox } from '../../src/client/connect-sandbox.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { startSandbox } from '../support/sandbox.ts'

const CLOSED = { name: 'SandboxError', status: 0, error: 'closed', message: expect.stringContaining('is closed') }
const SCENARIO = { name: 'A', steps: [{ await: 'par' as const }] }

/** A call of each function of an API, those of its parts too. */
const callsOf = (api: object, prefix = ''): readonly (readonly [name: string, call: () => unknown])[] =>
  Object.entries(api).flatMap(([name, member]: [string, unknown]) => {
    const full = prefix + name
    // Members that look at what they are given take a text, as `clock.set` does, or options.
    const given = name === 'configure' ? {} : '2026-01-01'
    if (typeof member === 'function') return [[full, () => Reflect.apply(member, api, [given])] as const]
    return typeof member === 'object' && member !== null ? callsOf(member, `${full}.`) : []
  })

/** A sandbox in this process, and a connection to one: each with what makes it close. */
const KINDS = {
  createSandbox: async () => createSandbox(),
  connectSandbox: async () => connectSandbox((await startSandbox()).url),
} as const

describe.each(['createSandbox', 'connectSandbox'] as const)('After close() of %s', (kind) => {
  test('Every member of a closed sandbox and of its tenants rejects with an error that says so', async () => {
    const sandbox = await KINDS[kind]()
    const tenant = sandbox.tenant('one')
    const namesOf = (api: object) => callsOf(api).map(([name]) => name)
    expect(namesOf(tenant).length).toBeGreaterThan(30)
    expect(namesOf(sandbox).sort()).toEqual([...namesOf(tenant), 'tenant', 'removeTenant', 'close'].sort())

    await sandbox.close()
    for (const [name, call] of [...callsOf(sandbox), ...callsOf(tenant)]) {
      if (name !== 'tenant' && name !== 'close') await expect(call(), name).rejects.toMatchObject(CLOSED)
    }
    expect(() => sandbox.tenant('two')).toThrow(expect.objectContaining(CLOSED))
  })

  test('A call that waits when its sandbox closes rejects at once, and close() again does nothing', async () => {
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
