import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { makeGoModule } from '../support/go-module.ts'
import { describeWith, PYTHON } from '../support/tools.ts'
import { describeLibrary, type LoadLibrary, runLibrary } from './describe-library.ts'
import { type Replacements, readExample } from './examples.ts'

/** Calls a function of a block by what stands on its input. */
const pythonProgram = (module: string) => `
import json
import sys

import ${module}

call = json.load(sys.stdin)
print(json.dumps(getattr(${module}, call["name"])(**call["values"])))
`

const withPython =
  (module: string): LoadLibrary =>
  async ({ baseUrl }, { folder, env, replacements }) => {
    const code = readExample(`# ${module}.py`, {
      'http://localhost:2435': baseUrl,
      ...replacements,
    })
    writeFileSync(join(folder, `${module}.py`), code)
    writeFileSync(join(folder, 'call.py'), pythonProgram(module))
    const variables = { PYTHONDONTWRITEBYTECODE: '1', ...env }
    return runLibrary({ command: PYTHON, args: ['call.py'], folder, env: variables })
  }

describeWith('python', 'With Python', () => {
  describeLibrary('Authlib', withPython('authlib_client'), {
    checksCodeHash: true,
    trust: 'REQUESTS_CA_BUNDLE',
    signature: /BadSignatureError: bad_signature/,
    nonce: /InvalidClaimError: invalid_claim: Invalid claim "nonce"/,
  })

  describeLibrary('PyJWT', withPython('pyjwt_client'), {
    lacks: ['create', 'upgrade'],
    trust: 'SSL_CERT_FILE',
    signature: /InvalidSignatureError: Signature verification failed/,
    nonce: /InvalidTokenError: the nonce is that of another request/,
  })
})

/** Calls a method of the block by what stands on its input. */
const RUBY_PROGRAM = `
require_relative "age_client"

call = JSON.parse($stdin.read)
values = call["values"].transform_keys(&:to_sym)
answer = URI.decode_www_form(URI(values.delete(:url)).query).to_h if values.key?(:url)
puts AgeClient.new.send(call["name"], *[answer].compact, **values).to_json
`

const withRuby: LoadLibrary = async ({ baseUrl }, { folder, env = {}, replacements }) => {
  const code = readExample('# age_client.rb', {
    'http://localhost:2435': baseUrl,
    'URI::HTTP #': baseUrl.startsWith('https:') ? 'URI::HTTPS #' : 'URI::HTTP #',
    ...replacements,
  })
  writeFileSync(join(folder, 'age_client.rb'), code)
  writeFileSync(join(folder, 'call.rb'), RUBY_PROGRAM)
  return runLibrary({ command: 'ruby', args: ['-W0', 'call.rb'], folder, env })
}

describeWith('ruby', 'With Ruby', () => {
  describeLibrary('openid_connect', withRuby, {
    lacks: ['create'],
    trust: 'SSL_CERT_FILE',
    signature: /JSON::JWS::VerificationFailed/,
    nonce: /InvalidNonce/,
  })
})

/** Calls a method of the block by what stands on its input. */
const GO_PROGRAM = `
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/url"
	"os"

	"example.com/shop/age"
)

func main() {
	var call struct {
		Name   string
		Values struct {
			State, Nonce, Scope, URL, Code string
			Signals                        any
		}
	}
	check(json.NewDecoder(os.Stdin).Decode(&call))
	values := call.Values
	ctx := context.Background()
	client, err := age.NewClient(ctx)
	check(err)
	var result any
	switch call.Name {
	case "use_url":
		result = client.UseURL(values.State, values.Nonce, values.Scope)
	case "read_answer":
		address, err := url.Parse(values.URL)
		check(err)
		token, err := client.ReadAnswer(ctx, address.Query(), values.State, values.Nonce)
		check(err)
		check(token.Claims(&result))
	case "upgrade":
		check(client.Upgrade(ctx, values.Code, values.Signals))
	}
	check(json.NewEncoder(os.Stdout).Encode(result))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
`

const readGo = (baseUrl: string, replacements: Replacements = {}) =>
  readExample('// age/client.go', { 'http://localhost:2435': baseUrl, ...replacements })

const withGo: LoadLibrary = async ({ baseUrl }, { folder, env = {}, replacements }) => {
  const { write, go } = makeGoModule(folder)
  write({ 'age/client.go': readGo(baseUrl, replacements), 'main.go': GO_PROGRAM })
  const command = join(folder, 'shop')
  await go('vet', 'example.com/shop/...')
  await go('build', '-o', command, 'example.com/shop')
  return runLibrary({ command, folder, env })
}

describeWith('go', 'With Go', () => {
  test('The example for Go is written as gofmt writes it', async () => {
    const { write, gofmt } = makeGoModule(makeScratchFolder())
    write({ 'age/client.go': readGo('http://localhost:2435') })
    expect(await gofmt()).toBe('')
  })

  describeLibrary('go-oidc', withGo, {
    lacks: ['create'],
    trust: 'SSL_CERT_FILE',
    signature: /failed to verify (id token )?signature/,
    nonce: /the nonce is that of another request/,
  })
})
