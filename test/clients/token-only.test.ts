import { expect, test } from 'vitest'
import * as z from 'zod'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'
import { importExample } from './examples.ts'

type Exchange = (code: string) => Promise<unknown>
const library = z.object({ exchange: z.custom<Exchange>((value) => typeof value === 'function') })

test.each([
  ['simple-oauth2', 'simple-oauth2.js', 'Response Error: 400'],
  ['@badgateway/oauth2-client', 'oauth2-client.js', 'invalid_grant'],
])(
  '%s exchanges a code for a token that upgrades an age key, and reports a used code',
  async (_name, file, refusal) => {
    const sandbox = await startSandbox()
    const app = createRelyingParty(sandbox)
    const { exchange } = library.parse(
      await importExample(file, makeScratchFolder(), { 'http://localhost:2435': sandbox.baseUrl }),
    )
    const code = await app.obtainCode()
    const token = z.string().parse(await exchange(code))
    expect((await app.upgrade(token)).body).toBe('OK')
    await expect(exchange(code)).rejects.toThrow(refusal)
  },
)
