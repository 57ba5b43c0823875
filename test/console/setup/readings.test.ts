import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('The page of readings sets one, forgets the usual one, then reads all as usual again', async () => {
  const sandbox = await startSandbox()
  const after = async (fields: Readonly<Record<string, string>>) => {
    await createBrowserClient(sandbox.url).submit('/_sandbox/console/readings', fields)
    return sandbox.readings()
  }
  expect(await after({ set: 'refused_token_status=403' })).toEqual({ readings: { refused_token_status: '403' } })
  expect(await after({ set: 'typ=absent' })).toEqual({ readings: { refused_token_status: '403', typ: 'absent' } })
  expect(await after({ set: 'refused_token_status=401' })).toEqual({ readings: { typ: 'absent' } })
  expect(await after({ clear: 'true' })).toEqual({ readings: {} })
})
