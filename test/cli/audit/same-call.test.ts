import { expect, test } from 'vitest'
import { readFlags } from '../../../src/cli/audit/read-flags.ts'
import { sameCall } from '../../../src/cli/audit/same-call.ts'

const PAGE = 'http://localhost:3000/verify'

test('the same call leaves out which rows and which reports', () => {
  const flags = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  expect(sameCall(readFlags(PAGE, flags), {})).toBe(`npx agekey-sandbox audit ${PAGE}`)
})

test('the same call keeps what the app and its sandbox need', () => {
  const page = 'http://localhost:3000/verify?a=b&c'
  const request = readFlags(page, {
    accepted: "text=It's you",
    start: 'PORT={port} npm start',
    url: 'http://localhost:2435',
    timeout: '20',
    slow: true,
    thisAppIsMine: true,
  })
  const settings = { port: '2500', https: 'true', personas: ['a.yaml', 'b c.yaml'] }
  expect(sameCall(request, settings)).toBe(
    `npx agekey-sandbox audit 'http://localhost:3000/verify?a=b&c' --accepted 'text=It'\\''s you' --start 'PORT={port} npm start' --url http://localhost:2435 --this-app-is-mine --timeout 20 --slow --port 2500 --https --personas a.yaml 'b c.yaml'`,
  )
})

test('the same call repeats no secret', () => {
  expect(sameCall(readFlags(undefined, {}), { 'control-token': 'not-a-real-token' })).toBe(
    'npx agekey-sandbox audit --control-token TOKEN',
  )
})
