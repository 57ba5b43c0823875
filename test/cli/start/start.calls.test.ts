import { expect, test } from 'vitest'
import { codeBlocks, readPage } from '../../docs/page.ts'
import { buildCli } from '../built-cli.ts'

const { start } = await buildCli()

/** The lines about calls: of one that was answered, and of one that was refused. */
async function linesOf(log: string) {
  const { child, ended, output } = await start(['--port', '0', '--log', log, '--state-dir', 'none'])
  const baseUrl = /http:\/\/localhost:\d+/.exec(output)?.[0] ?? ''
  const query = {
    ...{ client_id: 'ak_test_sandbox', redirect_uri: 'http://localhost:3000/cb', response_type: 'id_token' },
    ...{ scope: 'openid', state: 's', claims: '{"age_thresholds":[18]}', sandbox_persona: 'teen-16' },
  }
  for (const nonce of ['n', '']) {
    await fetch(`${baseUrl}/v1/oidc/use?${new URLSearchParams({ ...query, nonce })}`, { redirect: 'manual' })
  }
  child.kill('SIGTERM')
  const lines = (await ended).stdout.trim().split('\n').slice(-2)
  return { baseUrl, lines }
}

test('start --log pretty says flow, endpoint, status, persona or the sentence of the first finding, time and the link', async () => {
  const { baseUrl, lines } = await linesOf('pretty')
  const [answered = '', refused = ''] = lines
  const link = (id: string) => `${baseUrl}/_sandbox/console/flows/${id}`
  const timed = (line: string) => line.replace(/^\d\d:\d\d:\d\d /, '').replace(/ (?:\d\.\d|\d+) ms /, ' T ')
  expect(timed(answered)).toBe(`f1    E1 302 GET  /v1/oidc/use ak_test_sandbox teen-16 verified T ${link('f1')}`)
  expect(timed(refused)).toBe(
    `f2    E1 302 GET  /v1/oidc/use ak_test_sandbox USE-08: nonce is missing: it was received without a value T ${link('f2')}`,
  )
})

test('start --log json has flow, tenant, client, persona, outcome, rule and message as members, and rounded durations', async () => {
  const { baseUrl, lines } = await linesOf('json')
  const [answered, refused] = lines.map((line): Record<string, unknown> => JSON.parse(line))
  const common = { event: 'call', endpoint: 'E1', status: 302, tenant: 'default', client: 'ak_test_sandbox' }
  expect(answered).toMatchObject({ ...common, flow: 'f1', persona: 'teen-16', outcome: 'verified' })
  expect(refused).toMatchObject({
    ...common,
    ...{ flow: 'f2', rule: 'USE-08', message: 'nonce is missing: it was received without a value' },
    flow_url: `${baseUrl}/_sandbox/console/flows/f2`,
  })
  const [documented = ''] = codeBlocks(readPage('troubleshooting.md'), 'json')
  expect(Object.keys(refused ?? {})).toEqual(Object.keys(JSON.parse(documented)))
  for (const line of lines) expect(line).toMatch(/"duration_ms":(?:\d(?:\.\d)?|\d\d+)\}$/)
})
