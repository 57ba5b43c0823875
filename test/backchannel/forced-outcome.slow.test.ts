import { expect, test } from 'vitest'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'

// Thirty seconds, which is the default, are more than one of these tests may take.
const SLOW = { 'X-Sandbox-Outcome': 'jwks.slow' }
const REASON = 'is not a whole number of seconds from 0 to 600'
const sandbox = await shareSandbox()

test('A slow reply takes as long as the option slowReplySeconds says', async () => {
  await (await startSandbox({ slowReplySeconds: 0 })).request.get('/.well-known/jwks.json').set(SLOW).expect(200)
})

test('A slow reply takes as long as configure says for its tenant, which the tenant shows', async () => {
  const tenant = sandbox.tenant('quick')
  const shown = async (name = 'quick') =>
    (await sandbox.request.get(`/_sandbox/tenants/${name}`)).body.slow_reply_seconds
  await tenant.clock.state()
  expect(await shown()).toBe(30)
  await tenant.configure({ slowReplySeconds: 0 })
  await tenant.configure({ outcome: 'verified' })
  expect([await shown(), await shown('default')]).toEqual([0, 30])
  await sandbox.request.get('/t/quick/.well-known/jwks.json').set(SLOW).expect(200)
  await sandbox.request.put('/_sandbox/tenants/put').send({ slow_reply_seconds: 0 }).expect(201)
  await sandbox.request.get('/t/put/.well-known/jwks.json').set(SLOW).expect(200)
})

test.each([-1, 601, 1.5])('A slow reply of %d seconds is refused as an option and by PUT', async (seconds) => {
  await expect(createSandbox({ slowReplySeconds: seconds })).rejects.toThrow(`slowReplySeconds: ${seconds} ${REASON}`)
  await expect(sandbox.configure({ slowReplySeconds: seconds })).rejects.toThrow(`${seconds} ${REASON}`)
  const put = await sandbox.request.put('/_sandbox/tenants/one').send({ slow_reply_seconds: seconds })
  expect([put.status, put.body.error_description]).toEqual([400, expect.stringContaining('slow_reply_seconds')])
})
