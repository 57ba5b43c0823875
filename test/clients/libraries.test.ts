import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { startSandbox } from '../support/sandbox.ts'
import { describeLibrary, type LoadLibrary, librarySchema, runLibrary } from './describe-library.ts'
import { importExample, type Replacements, writeExample } from './examples.ts'

/** Calls a function of a block by what stands on its input. */
const PROGRAM = `
import { json } from 'node:stream/consumers'
import { readAnswer, useUrl } from './example.mjs'

const { name, values } = await json(process.stdin)
const result = name === 'use_url' ? await useUrl(values) : await readAnswer(new URL(values.url), values)
process.stdout.write(JSON.stringify(result))
`

const loader =
  (name: string, names: Replacements = {}): LoadLibrary =>
  async ({ baseUrl }, { folder, env = {}, replacements }) => {
    const texts = { 'http://localhost:2435': baseUrl, ...names, ...replacements }
    if (!baseUrl.startsWith('https:'))
      return librarySchema.parse(await importExample(name, folder, texts))
    // What Node trusts is settled when it starts.
    writeExample(name, folder, texts)
    writeFileSync(join(folder, 'call.mjs'), PROGRAM)
    return runLibrary({ command: process.execPath, args: ['call.mjs'], folder, env })
  }

describeLibrary('openid-client 6', loader('openid-client.js'), {
  // Node reads it: it is the same for every library.
  trust: 'NODE_EXTRA_CA_CERTS',
  signature: /JWT signature verification failed/,
  nonce: /claim: 'nonce'/,
})

describeLibrary(
  'openid-client 5',
  loader('openid-client-5.js', { "'openid-client'": "'openid-client-5'" }),
  {
    es256: {
      "response_types: ['id_token']":
        "response_types: ['id_token'], id_token_signed_response_alg: 'ES256'",
    },
    signature: /failed to validate JWT signature/,
    nonce: /nonce mismatch/,
  },
)

describeLibrary('oauth4webapi', loader('oauth4webapi.js'), {
  signature: /JWT signature verification failed/,
  nonce: /claim: 'nonce'/,
})

/**
 * All that a strict client of OpenID Connect has to survive at once, beside one signature or the
 * other.
 */
const SURVIVED = {
  unknown_members: 'everywhere',
  typ: 'absent',
  azp: 'present',
  nbf: 'present',
  sub: 'long',
  token_order: 'reversed',
  token_layout: 'indented',
  callback_iss: 'present',
  callback_order: 'reversed',
  callback_spaces: 'plus',
  redirect_status: '303',
  error_description: 'absent',
}
const PUBLISHED = { discovery: 'minimal', key_set: 'one', key_members: 'minimal', sub: 'uuid' }

test.each([
  { ...SURVIVED, signing: 'RS256' },
  { ...PUBLISHED, signing: 'ES256' },
])('openid-client 6 accepts an id_token under the readings %j', async (readings) => {
  const sandbox = await startSandbox({ readings, persona: 'adult-passport' })
  const library = await loader('openid-client.js')(sandbox, { folder: makeScratchFolder() })
  const sent = { state: 'state-1', nonce: 'nonce-1' }
  const { headers } = await fetch(await library.useUrl({ ...sent, scope: 'openid' }), {
    redirect: 'manual',
  })
  const claims = await library.readAnswer(new URL(headers.get('location') ?? ''), sent)
  expect(claims).toMatchObject({ age_thresholds: { 18: true } })
})
