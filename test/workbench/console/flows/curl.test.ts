import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { curlCommand } from '../../../../src/workbench/console/flows/curl.ts'

function argumentsOf(command: string): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const env = { AGE_CLIENT_SECRET: 'S3CRET', AGE_ACCESS_TOKEN: 'T0KEN' }
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)
}

/** The command for a call of the client web-shop; E2 unless `changes` say otherwise. */
const commandFor = (changes: Partial<Parameters<typeof curlCommand>[0]> = {}) =>
  curlCommand(
    {
      endpoint: 'E2',
      method: 'POST',
      path: '/v1/oidc/create/par',
      parameters: {
        client_id: 'web-shop',
        client_secret: '***',
        authorization_details: [{ method: 'id_doc_scan' }],
      },
      ...changes,
    },
    { baseUrl: 'http://localhost:2435', clientId: 'web-shop' },
  )

test('The curl command sends a browser’s request by GET, JSON parameters as text', () => {
  const parameters = { scope: 'openid svc.upgrade', claims: { age_thresholds: [18] } }
  const [, url = ''] = argumentsOf(
    commandFor({ endpoint: 'E1', method: 'GET', path: '/use', parameters }),
  )
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    ...parameters,
    claims: '{"age_thresholds":[18]}',
  })
})

const ADDRESS = 'http://localhost:2435/v1/oidc/create/par'

test('The curl command of E2 has the secret of the environment in a field', () => {
  const address = ADDRESS
  const fields = [
    'client_id=web-shop',
    'client_secret=S3CRET',
    'authorization_details=[{"method":"id_doc_scan"}]',
  ]
  const encoded = fields.flatMap((field) => ['--data-urlencode', field])
  expect(argumentsOf(commandFor())).toEqual(['-i', address, ...encoded])
})

test('The curl command of E4 authenticates by Basic', () => {
  expect(argumentsOf(commandFor({ endpoint: 'E4', parameters: { code: 'c' } }))).toContain(
    'web-shop:S3CRET',
  )
})

test('The curl command of E5 authenticates by a bearer token', () => {
  const upgrade = ['-i', ADDRESS, '-H', 'Authorization: Bearer T0KEN', '--json', '{"a":1}']
  expect(argumentsOf(commandFor({ endpoint: 'E5', parameters: { a: 1 } }))).toEqual(upgrade)
})

test('The curl command quotes every value, so that a shell expands nothing of it', () => {
  // No program can be given NUL in an argument.
  const text = fc
    .string({ unit: 'binary' })
    .filter((value) => !/\p{Surrogate}/u.test(value) && !value.includes('\0'))
  const attack = fc.constantFrom("'; rm -rf /; '", '$(id)', '`id`', '\\', '"$HOME"', '')
  const states = fc.sample(fc.tuple(text, attack), 100).map((parts) => parts.join(''))
  const commands = states.map((state) => commandFor({ endpoint: 'choice', parameters: { state } }))
  const sent = argumentsOf(commands.join('\n')).filter((word) => word.startsWith('state='))
  expect(sent).toEqual(states.map((state) => `state=${state}`))
})
