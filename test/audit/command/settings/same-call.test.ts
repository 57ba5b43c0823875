import { expect, test } from 'vitest'
import { sameCall } from '../../../../src/audit/command/settings/same-call.ts'

const PAGE = 'http://localhost:3000/verify'

test('The call of audit that is shown again keeps what the app and the sandbox need, without rows and reports', () => {
  const app = { accepted: "text=It's you", start: 'PORT={port} npm start', begin: 'Go on' }
  const rows = { only: ['flow:use'], jobs: '1', junit: 'a.xml', json: '-' }
  const flags = {
    ...app,
    ...rows,
    url: 'http://a.example',
    timeout: '20',
    slow: true,
    browser: 'http',
  } as const
  const ofApp = `'${PAGE}?a=b&c' --accepted 'text=It'\\''s you' --begin 'Go on' --start 'PORT={port} npm start'`
  const again = sameCall(`${PAGE}?a=b&c`, flags, ['--port', '2500'])
  const others = '--browser http --url http://a.example --timeout 20 --slow --port 2500'
  expect(again).toBe(`npx agekey-sandbox audit ${ofApp} ${others}`)
})
