import { expect, test } from 'vitest'
import { streamEvents } from '../../../src/cli/flows/follow.ts'
import { startWebApp } from '../../support/web-app.ts'

const CALL = { id: 'f1', at: '2026-01-01T00:00:00Z', endpoint: 'E1', method: 'GET', path: '/prüfung', status: 302 }

test('An event of a sandbox that comes in two pieces, which part a letter, is read whole, with the control token', async () => {
  const bytes = Buffer.from(`event: reset\ndata: {}\n\nevent: call\ndata: ${JSON.stringify(CALL)}\n\n`)
  const place = bytes.indexOf('ü') + 1
  let sendRest = () => {}
  const { url, requests } = await startWebApp((_request, response) => {
    response.write(bytes.subarray(0, place))
    sendRest = () => response.end(bytes.subarray(place))
  })
  const events: unknown[] = []
  for await (const event of streamEvents({ url, controlToken: 'not-a-real-token' }, new AbortController().signal)) {
    events.push(event)
    if (event.kind === 'reset') sendRest()
  }
  expect(events).toEqual([{ kind: 'open' }, { kind: 'reset' }, { kind: 'call', ...CALL, flow: 'f1' }])
  expect(requests).toMatchObject([{ headers: { authorization: 'Bearer not-a-real-token' } }])
})
