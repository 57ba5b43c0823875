import { expect, test } from 'vitest'
import { shareSandbox } from '../../support/sandbox.ts'
import { auditInProcess, reportIn, useScratchFolder, writeStart } from './audit-in-process.ts'
import { exampleAfter, jose, OPENID_CLIENT } from './started-apps.ts'

const sandbox = await shareSandbox()
useScratchFolder()

const ISSUER_OTHER = 'discovery/discovery.issuer_other'
const OTHER_HOST = 'discovery/discovery.jwks_uri_on_other_host'
const ANSWER_500 = 'discovery/discovery.500'
const FOREIGN_KEY = 'jwks/jwks.foreign_key_same_kid'

/** Audits an app by rows that each need a start of it. */
async function audit(app: string, only: readonly string[]) {
  writeStart(app, '  ready: http://localhost:{port}/\n')
  await auditInProcess(sandbox, { only, repeat: '1', jobs: '2', json: 'report.json' })
  const { rows, notes } = reportIn('report.json')
  return {
    notes,
    rowOf: (id: string) => rows.find(({ row }) => row === id),
    verdicts: Object.fromEntries(rows.map(({ row, verdict }) => [row, verdict])),
  }
}

test('Rows of discovery and keys judge an app by openid-client 6, which reads discovery when it starts', async () => {
  const expected = {
    ...{ [ISSUER_OTHER]: 'refused', 'discovery/discovery.extra_member': 'accepted' },
    ...{ [ANSWER_500]: 'observed', [FOREIGN_KEY]: 'refused', 'jwks/jwks.extra_key': 'accepted' },
  }
  const app = `console.log('got not-a-real-secret')\n${OPENID_CLIENT}`
  const { verdicts, notes, rowOf } = await audit(app, Object.keys(expected))
  expect({ notes, verdicts }).toEqual({ notes: [], verdicts: expected })
  // Its messages name the check that refused.
  const evidence = expect.stringMatching(/^as adult-passport: your app did not start: .* ended with code 1 /)
  expect(rowOf(ISSUER_OTHER)).toMatchObject({ evidence, refused_by: 'issuer' })
  expect(rowOf(FOREIGN_KEY)?.refused_by).toBe('signature')
  expect(rowOf('discovery/discovery.extra_member')?.log).toContain('got ***')
}, 300_000)

test.each([
  ['is sound', true, { [ISSUER_OTHER]: 'refused', [FOREIGN_KEY]: 'refused', [ANSWER_500]: 'observed' }],
  // jose follows no redirect.
  ['checks nothing', false, { [ISSUER_OTHER]: 'let in', [OTHER_HOST]: 'let in', 'jwks/jwks.redirect': 'observed' }],
])(
  'Rows of discovery and keys judge an app that reads discovery with its first request and %s',
  async (...row) => {
    const [, checks, expected] = row
    const { verdicts, notes, rowOf } = await audit(jose({ checks }), Object.keys(expected))
    expect({ notes, verdicts }).toEqual({ notes: [], verdicts: expected })
    // Output of the app when it begins to listen does not count.
    if (checks) expect(rowOf(ISSUER_OTHER)?.log?.[0]).toMatch(/^Error: discovery names another issuer/)
  },
  300_000,
)

test('Rows of discovery are not for an app that reads no discovery, and say so', async () => {
  const expected = { [ISSUER_OTHER]: 'not for this app', 'jwks/jwks.extra_key': 'accepted' }
  const { verdicts, rowOf } = await audit(exampleAfter(), Object.keys(expected))
  expect(verdicts).toEqual(expected)
  const reason = 'your app does not read a discovery document, not at its start and not for a token'
  expect(rowOf(ISSUER_OTHER)?.reason).toBe(reason)
}, 300_000)
