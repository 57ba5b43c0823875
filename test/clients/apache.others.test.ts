import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/server/create-sandbox.ts'
import { createAppBrowser } from '../docs/app-browser.ts'
import { startSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { startApache } from './apache-server.ts'

/** Apache with the block of the page and a sandbox of its own, for one test. */
async function start(mode = 'query', options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options)
  const { verify, readLog } = await startApache(sandbox, mode)
  return {
    sandbox,
    readLog,
    visit: () => createAppBrowser().visit(verify),
    begin: () => createAppBrowser().send(verify),
  }
}

/**
 * That mod_auth_openidc refuses wrong answers, the audit shows:
 * `audits/program-libraries.others.test.ts`.
 */
describeWith('apache', 'mod_auth_openidc', () => {
  test.each(['query', 'form_post'])(
    'mod_auth_openidc lets an adult in and no teenager by %s',
    async (mode) => {
      const { sandbox, visit } = await start(mode)
      await sandbox.next({ persona: 'adult-passport' })
      expect(await visit()).toMatchObject({ status: 200, text: 'Welcome.' })
      await sandbox.next({ persona: 'teen-16' })
      expect(await visit()).toMatchObject({ status: 401 })
      // The module compares a number as a number, and reads "true" as 0.
      await sandbox.next({ persona: 'teen-16', outcome: 'id_token.age_thresholds.numbers' })
      expect(await visit()).toMatchObject({ status: 401 })
    },
  )

  test('mod_auth_openidc reads a token that is signed by ES256', async () => {
    const { sandbox, visit } = await start('query', { signingAlg: 'ES256' })
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200, text: 'Welcome.' })
  })

  test('mod_auth_openidc finds the service over https when OIDCCABundlePath names the certificate', async () => {
    const stranger = await start('query', { https: true })
    expect(await stranger.begin()).toMatchObject({ status: 500 })
    expect(stranger.readLog()).toContain('certificate')
    const { sandbox, begin } = await start('query\nOIDCCABundlePath FOLDER/certificate.pem', {
      https: true,
    })
    expect(await begin()).toMatchObject({
      status: 302,
      location: expect.stringContaining(sandbox.baseUrl),
    })
  })
})
