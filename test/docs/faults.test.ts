import { describe, expect, onTestFinished, test } from 'vitest'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { personasFor } from '../support/personas-for.ts'
import { findFaults } from './faults.ts'

/** The Express example reads the claims of a token whose signature it does not look at. */
const WITHOUT_SIGNATURE: Changes = [
  ['import { createRemoteJWKSet, jwtVerify }', 'import { createRemoteJWKSet, UnsecuredJWT }'],
  [
    'await jwtVerify(idToken, keys, {',
    "UnsecuredJWT.decode(['eyJhbGciOiJub25lIn0', idToken.split('.')[1], ''].join('.'), {",
  ],
]

const FAMILIES = ['signature', 'algorithm', 'key_source']
const signatureRows = OUTCOMES.filter(
  ({ flow, family, correctClient }) => flow === 'use' && correctClient === 'refuse' && FAMILIES.includes(family),
)

describe('An app that checks no signature', () => {
  const sandbox = shareSandbox()

  /** Rows and the personas for whom the app does something wrong. */
  async function findLetIn(personas: typeof personasFor): Promise<string[]> {
    const app = await startExpressExample(sandbox(), WITHOUT_SIGNATURE)
    onTestFinished(() => app.stop())
    const letIn: string[] = []
    for (const row of signatureRows) {
      for (const persona of personas(row)) {
        await sandbox().reset()
        await sandbox().configure({ persona })
        const faults = await findFaults({ sandbox: sandbox(), appUrl: app.url }, row)
        if (faults.length > 0) letIn.push(row.name)
      }
    }
    return letIn
  }

  test('is seen to let every row about the signature in, id_token.payload_changed among them', async () => {
    const names = signatureRows.map(({ name }) => name)
    expect(names).toContain('id_token.payload_changed')
    expect(await findLetIn(personasFor)).toEqual(names)
  })

  test('hides id_token.payload_changed from tests in which every user is an adult', async () => {
    expect(await findLetIn(() => ['adult-passport'])).not.toContain('id_token.payload_changed')
  })
})
