import { expect, test } from 'vitest'
import { readFlags } from '../../../src/cli/audit/read-flags.ts'
import { sameCall } from '../../../src/cli/audit/same-call.ts'

const PAGE = 'http://localhost:3000/verify'

test('The call that is shown again leaves out which rows and which reports, and repeats no secret', () => {
  const flags = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  expect(sameCall(readFlags(PAGE, flags), {})).toBe(`npx agekey-sandbox audit ${PAGE}`)
  const secret = sameCall(readFlags(undefined, {}), { 'control-token': 'not-a-real-token' })
  expect(secret).toBe('npx agekey-sandbox audit --control-token TOKEN')
})

test('The call that is shown again keeps what the app and its sandbox need', () => {
  const page = `${PAGE}?a=b&c`
  const app = { accepted: "text=It's you", start: 'PORT={port} npm start', url: 'http://localhost:2435' }
  const request = readFlags(page, { ...app, timeout: '20', slow: true, thisAppIsMine: true })
  const settings = { port: '2500', https: 'true', personas: ['a.yaml', 'b c.yaml'] }
  const ofApp = `'${page}' --accepted 'text=It'\\''s you' --start 'PORT={port} npm start' --url http://localhost:2435`
  const others = "--this-app-is-mine --timeout 20 --slow --port 2500 --https --personas a.yaml 'b c.yaml'"
  expect(sameCall(request, settings)).toBe(`npx agekey-sandbox audit ${ofApp} ${others}`)
})
