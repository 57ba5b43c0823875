import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const run = promisify(execFile)
const blocks = codeBlocks(readPage('integration-python.md'), 'python')

const canRun = (code: string) => spawnSync('python3', ['-c', code]).status === 0
const hasPython = canRun('pass')
const hasPackages = canRun('import authlib.jose, requests')
if (!hasPackages) {
  const missing = hasPython ? 'python3 has no authlib or no requests' : 'there is no python3'
  console.warn(`SKIPPED: the page for Python is not run against the sandbox, because ${missing}`)
}

/** One Use flow, from the address for the browser to the verdict, printed as JSON. */
const DRIVER = `
import json, sys
from urllib.parse import parse_qsl, urlsplit
import requests
import relying_party

address, sent = relying_party.begin("http://localhost:3000/callback")
callback = requests.get(address, allow_redirects=False, timeout=5).headers["Location"]
try:
    verdict = relying_party.is_adult(dict(parse_qsl(urlsplit(callback).query)), sent)
except Exception:
    verdict = "refused"
print(json.dumps(verdict))
`

/** What the program of the page makes of a Use flow that ends in a certain way. */
async function verdictOf(decided: { persona?: string; outcome?: string }): Promise<unknown> {
  const { baseUrl } = await startSandbox(decided)
  const folder = makeScratchFolder()
  writeFileSync(join(folder, 'relying_party.py'), blockWith(blocks, 'def is_adult(answer, sent):'))
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    AGE_ISSUER: `${baseUrl}/v1/oidc/use`,
    AGE_JWKS_URI: `${baseUrl}/.well-known/jwks.json`,
  }
  const { stdout } = await run('python3', ['-c', DRIVER], { env })
  return JSON.parse(stdout)
}

test.skipIf(!hasPython)('every block of Python compiles', async () => {
  const folder = makeScratchFolder()
  for (const [index, code] of blocks.entries()) {
    const file = join(folder, `block_${index}.py`)
    writeFileSync(file, code)
    await expect(run('python3', ['-m', 'py_compile', file])).resolves.toMatchObject({ stderr: '' })
  }
})

describe.skipIf(!hasPackages)('the program for Python', () => {
  test.each([
    [{ persona: 'adult-passport' }, true],
    [{ persona: 'teen-16' }, false],
    [{ outcome: 'access_denied' }, false],
  ])('says of %j: %j', async (decided, verdict) => {
    expect(await verdictOf(decided)).toBe(verdict)
  })

  test.each([
    'id_token.alg_none',
    'id_token.payload_changed',
    'id_token.foreign_key_same_kid',
    'id_token.iss_of_create',
    'id_token.aud_of_other_client',
    'id_token.expired',
    'id_token.nonce_other',
    'id_token.req_claims_hash_weaker',
    'callback.state_of_other_session',
  ])('refuses %s', async (outcome) => {
    expect(await verdictOf({ outcome })).toBe('refused')
  })
})
