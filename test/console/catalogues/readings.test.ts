import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('The page of readings sets one, forgets the usual one, then reads all as usual again', async () => {
  const sandbox = await startSandbox()
  const after = async (fields: Readonly<Record<string, string>>) => {
    await createBrowserClient(sandbox.url).submit('/_sandbox/console/readings', fields)
    return sandbox.readings()
  }
  expect(await after({ set: 'par_status=200' })).toEqual({ readings: { par_status: '200' } })
  expect(await after({ set: 'typ=absent' })).toEqual({ readings: { par_status: '200', typ: 'absent' } })
  expect(await after({ set: 'par_status=201' })).toEqual({ readings: { typ: 'absent' } })
  expect(await after({ clear: 'true' })).toEqual({ readings: {} })
})
