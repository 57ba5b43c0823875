import { expect, test } from 'vitest'
import { folderWith } from '../../../support/folder-with.ts'
import { sendUse } from '../../../support/requests.ts'
import { buildCli, WITH_KEYS } from '../built-cli.ts'
import { run } from '../in-process.ts'

const cli = await buildCli()
const REMOVED =
  'would be a redirect URI of the built-in client, which builtin_client: false removes'

test('--redirect-uri may be given again', async () => {
  const addresses = ['https://a.example/cb?x=1,2', 'https://b.example/cb']
  const flags = addresses.flatMap((address) => ['--redirect-uri', address])
  const { output } = await cli.start(['--port', '0', '--log', 'json', ...flags], { env: WITH_KEYS })
  const { url } = JSON.parse(output.split('\n')[0] ?? '')
  for (const redirect_uri of addresses) {
    const { headers } = await sendUse(url, { redirect_uri, sandbox_persona: 'teen-16' })
    expect(headers.get('location')).toMatch(
      new RegExp(`^${redirect_uri.replaceAll(/[?.]/g, String.raw`\$&`)}#`),
    )
  }
})

const WITHOUT_BUILTIN = { 'agekey-sandbox.yaml': 'builtin_client: false' }

test('--redirect-uri is refused when the config file removes the built-in client', async () => {
  const cwd = folderWith(WITHOUT_BUILTIN)
  const { code, stderr } = await run(['--port', '0', '--redirect-uri', 'https://a.example/'], {
    cwd,
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`error: --redirect-uri: https://a.example/ ${REMOVED}`)
})

test('AGEKEY_SANDBOX_REDIRECT_URIS is refused when the config file removes the built-in client', async () => {
  const cwd = folderWith(WITHOUT_BUILTIN)
  const env = { AGEKEY_SANDBOX_REDIRECT_URIS: 'https://a.example/' }
  const { code, stderr } = await run(['--port', '0'], { cwd, env })
  expect(code).toBe(1)
  expect(stderr).toContain(`error: AGEKEY_SANDBOX_REDIRECT_URIS: https://a.example/ ${REMOVED}`)
})

test('redirect_uris of the config file are refused, with their line, when it removes the built-in client', async () => {
  const cwd = folderWith({
    'agekey-sandbox.yaml': 'builtin_client: false\nredirect_uris: [https://a.example/]',
  })
  const { code, stderr } = await run(['--port', '0'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `error: agekey-sandbox.yaml:2: redirect_uris: https://a.example/ ${REMOVED}`,
  )
})
