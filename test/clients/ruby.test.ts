import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { describeLibrary, type LoadLibrary } from './describe-library.ts'
import { readExample } from './examples.ts'
import { runLibrary } from './run-example.ts'

/** Calls a method of the block by what stands on its input. */
const PROGRAM = `
require_relative "age_client"

call = JSON.parse($stdin.read)
values = call["values"].transform_keys(&:to_sym)
answer = URI.decode_www_form(URI(values.delete(:url)).query).to_h if values.key?(:url)
puts AgeClient.new.send(call["name"], *[answer].compact, **values).to_json
`

const COMMAND = '/usr/bin/ruby'
const hasGem = spawnSync(COMMAND, ['-e', 'require "openid_connect"']).status === 0
if (!hasGem)
  console.warn(`SKIPPED of docs/clients.md: Ruby, because ${COMMAND} with the gem openid_connect is not here`)

const load: LoadLibrary = async ({ baseUrl }, { folder, env = {}, replacements }) => {
  const code = readExample('ruby', '# age_client.rb', {
    'http://localhost:2435': baseUrl,
    'URI::HTTP #': baseUrl.startsWith('https:') ? 'URI::HTTPS #' : 'URI::HTTP #',
    ...replacements,
  })
  writeFileSync(join(folder, 'age_client.rb'), code)
  writeFileSync(join(folder, 'call.rb'), PROGRAM)
  return runLibrary({ command: COMMAND, args: ['-W0', 'call.rb'], folder, env })
}

describe.skipIf(!hasGem)('with Ruby', () => {
  describeLibrary('openid_connect', load, {
    lacks: ['create'],
    trust: 'SSL_CERT_FILE',
    signature: /JSON::JWS::VerificationFailed/,
    nonce: /InvalidNonce/,
  })
})
