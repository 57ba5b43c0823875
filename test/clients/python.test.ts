import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { describeLibrary, type LoadLibrary } from './describe-library.ts'
import { readExample } from './examples.ts'
import { runLibrary } from './run-example.ts'

/** Calls a function of a block by what stands on its input. */
const program = (module: string) => `
import json
import sys

import ${module}

call = json.load(sys.stdin)
print(json.dumps(getattr(${module}, call["name"])(**call["values"])))
`

/** The first Python of this machine that can import what a block needs. */
function findPython(needed: string): string | undefined {
  const found = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', `import ${needed}`]).status === 0)
  if (found === undefined) console.warn(`SKIPPED of docs/clients.md: what needs ${needed}, which no python3 here has`)
  return found
}

const loader =
  (command: string, module: string): LoadLibrary =>
  async ({ baseUrl }, { folder, env, replacements }) => {
    const code = readExample('python', `# ${module}.py`, { 'http://localhost:2435': baseUrl, ...replacements })
    writeFileSync(join(folder, `${module}.py`), code)
    writeFileSync(join(folder, 'call.py'), program(module))
    return runLibrary({ command, args: ['call.py'], folder, env: { PYTHONDONTWRITEBYTECODE: '1', ...env } })
  }

const withAuthlib = findPython('authlib.oidc.core, requests') ?? ''
const withPyjwt = findPython('jwt, cryptography') ?? ''

describe.skipIf(withAuthlib === '')('with Authlib', () => {
  describeLibrary('Authlib', loader(withAuthlib, 'authlib_client'), {
    checksCodeHash: true,
    trust: 'REQUESTS_CA_BUNDLE',
    signature: /BadSignatureError: bad_signature/,
    nonce: /InvalidClaimError: invalid_claim: Invalid claim "nonce"/,
  })
})

describe.skipIf(withPyjwt === '')('with PyJWT', () => {
  describeLibrary('PyJWT', loader(withPyjwt, 'pyjwt_client'), {
    lacks: ['create', 'upgrade'],
    trust: 'SSL_CERT_FILE',
    signature: /InvalidSignatureError: Signature verification failed/,
    nonce: /InvalidTokenError: the nonce is that of another request/,
  })
})
