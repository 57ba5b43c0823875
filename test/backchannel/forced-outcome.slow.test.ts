import { describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { startSandbox } from '../support/sandbox.ts'

// Thirty seconds, which is the default, are more than one of these tests may take.
const SLOW = { 'X-Sandbox-Outcome': 'jwks.slow' }
const REASON = 'is not a whole number of seconds from 0 to 600'

describe('A slow reply takes as long as slow_reply_seconds says:', () => {
  test('as an option', async () => {
    const sandbox = await startSandbox({ slowReplySeconds: 0 })
    await sandbox.request.get('/.well-known/jwks.json').set(SLOW).expect(200)
  })

  test('changed by configure and back, and shown', async () => {
    const sandbox = await startSandbox()
    const shown = async () => (await sandbox.request.get('/_sandbox/tenants/default')).body.slow_reply_seconds
    expect(await shown()).toBe(30)
    await sandbox.configure({ slowReplySeconds: 0 })
    expect(await shown()).toBe(0)
    await sandbox.request.get('/.well-known/jwks.json').set(SLOW).expect(200)
    await sandbox.configure({ outcome: 'verified' })
    expect(await shown()).toBe(0)
  })

  test('of one tenant', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.put('/_sandbox/tenants/one').send({ slow_reply_seconds: 0 }).expect(201)
    await sandbox.request.get('/t/one/.well-known/jwks.json').set(SLOW).expect(200)
    const other = await sandbox.request.get('/_sandbox/tenants/default')
    expect(other.body.slow_reply_seconds).toBe(30)
  })

  test('as a flag and in the environment', async () => {
    const load = async (flags: Record<string, string>, env = {}) =>
      (await loadSettings({ flags, env, cwd: '/' })).sandbox.slowReplySeconds
    expect(await load({ 'slow-reply-seconds': '600' })).toBe(600)
    expect(await load({}, { AGEKEY_SANDBOX_SLOW_REPLY_SECONDS: '0' })).toBe(0)
    await expect(load({ 'slow-reply-seconds': 'long' })).rejects.toThrow(`--slow-reply-seconds: "long" ${REASON}`)
  })
})

test.each([-1, 601, 1.5])('%d seconds are refused as an option, by configure and by PUT', async (seconds) => {
  await expect(createSandbox({ slowReplySeconds: seconds })).rejects.toThrow(`slowReplySeconds: ${seconds} ${REASON}`)
  const sandbox = await startSandbox()
  await expect(sandbox.configure({ slowReplySeconds: seconds })).rejects.toThrow(`${seconds} ${REASON}`)
  const put = await sandbox.request.put('/_sandbox/tenants/one').send({ slow_reply_seconds: seconds })
  expect([put.status, put.body.error_description]).toEqual([400, expect.stringContaining('slow_reply_seconds')])
})
