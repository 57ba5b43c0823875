import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { describeLibrary, type LoadLibrary } from './describe-library.ts'
import { type Replacements, readExample } from './examples.ts'
import { runLibrary } from './run-example.ts'

/** Where Debian puts libraries. Its go-oidc 2.1 has all that the block uses of v3. */
const GOCODE = '/usr/share/gocode'
const GO_OIDC = join(GOCODE, 'src/github.com/coreos/go-oidc')
const X_OAUTH2 = join(GOCODE, 'src/golang.org/x/oauth2')

const GO = 'go'
const hasGo = spawnSync(GO, ['version']).error === undefined && existsSync(GO_OIDC) && existsSync(X_OAUTH2)
if (!hasGo)
  console.warn(`SKIPPED of docs/clients.md: Go, because there is no go on the PATH, ${GO_OIDC} or ${X_OAUTH2}`)

/** Calls a method of the block by what stands on its input. */
const PROGRAM = `
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

const readBlock = (baseUrl: string, replacements: Replacements = {}) =>
  readExample('go', '// age/client.go', { 'http://localhost:2435': baseUrl, ...replacements })

test.skipIf(!hasGo)('the block for Go on the page on clients is written as gofmt writes it', async () => {
  const file = join(makeScratchFolder(), 'block.go')
  writeFileSync(file, readBlock('http://localhost:2435'))
  expect((await promisify(execFile)('gofmt', ['-l', file])).stdout).toBe('')
})

const load: LoadLibrary = async ({ baseUrl }, { folder, env = {}, replacements = {} }) => {
  const write = (path: string, code: string) => {
    const file = join(folder, 'src/example.com/shop', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  write('age/client.go', readBlock(baseUrl, replacements))
  write('main.go', PROGRAM)
  const filter = (path: string) => !path.endsWith('_test.go')
  cpSync(GO_OIDC, join(folder, 'src/github.com/coreos/go-oidc/v3/oidc'), { recursive: true, filter })
  const command = join(folder, 'shop')
  const building = { ...process.env, GO111MODULE: 'off', GOPATH: `${folder}:${GOCODE}`, GOFLAGS: '' }
  await promisify(execFile)(GO, ['vet', 'example.com/shop/...'], { env: building })
  await promisify(execFile)(GO, ['build', '-o', command, 'example.com/shop'], { env: building })
  return runLibrary({ command, folder, env })
}

describe.skipIf(!hasGo)('with Go', () => {
  describeLibrary('go-oidc', load, {
    lacks: ['create'],
    trust: 'SSL_CERT_FILE',
    signature: /failed to verify (id token )?signature/,
    nonce: /the nonce is that of another request/,
  })
})
