import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { recordFlows } from '../../support/recorded-flows.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { REDIRECT_URI } from '../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const SCHEMAS = new URL('../../../node_modules/har-schema/lib/', import.meta.url)

test('Every flow is a HAR by the published schema, which holds no secret', async () => {
  // Its patterns check instants, and Ajv knows no newer draft by the name of this one.
  const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
  for (const file of readdirSync(SCHEMAS).filter((file) => file.endsWith('.json')))
    ajv.addSchema({
      ...JSON.parse(readFileSync(new URL(file, SCHEMAS), 'utf8')),
      $schema: undefined,
    })
  for (const [name, id] of await recordFlows(sandbox)) {
    const archive = await sandbox.flows.export(id, 'har')
    expect(ajv.validate('har.json#', JSON.parse(archive.text)) ? [] : ajv.errors, name).toEqual([])
    const holdsToken = archive.text.includes('eyJ')
    expect(archive.text, name).toContain(
      holdsToken ? 'It holds an id_token.' : 'It holds no id_token',
    )
    expect(archive.text, name).not.toMatch(/sk_test_sandbox|agekey_at_/)
  }
}, 60_000)

test('The export of a flow names the file', async () => {
  await createRelyingParty(sandbox).use()
  const flow = await sandbox.flows.last()
  const path = `/_sandbox/flows/${flow?.id}`
  expect((await sandbox.request.get(`${path}?as=curl`)).headers).toMatchObject({
    'content-type': 'application/x-sh; charset=utf-8',
    'content-disposition': `attachment; filename="${flow?.id}.sh"`,
  })
})

test('The export of a flow in an unknown format is refused', async () => {
  await createRelyingParty(sandbox).use()
  const flow = await sandbox.flows.last()
  const path = `/_sandbox/flows/${flow?.id}`
  const unknown = await sandbox.request.get(`${path}?as=currl`)
  expect(unknown.status).toBe(400)
  expect(unknown.body.error_description).toContain('"curl"')
})

test('The export of a forgotten flow is refused', async () => {
  const { error, error_description } = (await sandbox.request.get('/_sandbox/flows/f999?as=har'))
    .body
  expect(error).toBe('not_found')
  expect(error_description).toMatch(/^flow: there is none/)
})

test('The test that a flow is exported as declares the settings of the flow', async () => {
  const shop = {
    clientId: 'shop',
    clientSecret: 's',
    redirectUris: [REDIRECT_URI],
    signingAlg: 'ES256' as const,
  }
  const lives = { lifetimes: { accessToken: 60 }, slowReplySeconds: 1 }
  const own = await startSandbox({
    readings: { refused_token_status: '403' },
    clients: [shop],
    ...lives,
  })
  await own.next({ flow: 'par', outcome: 'par.slow' })
  await createRelyingParty(own, shop).obtainRequestUri()
  const { id = '' } = (await own.flows.last()) ?? {}
  const { text } = await own.flows.export(id, 'vitest')
  const options =
    "lifetimes: { accessToken: 60 }, slowReplySeconds: 0, readings: { refused_token_status: '403' }"
  for (const part of ["signingAlg: 'ES256'", options]) expect(text).toContain(part)
  expect((await own.flows.export(id, 'scenario')).text).toContain('\nclient: shop\n')
  expect((await own.flows.export(id, 'pytest')).text).toContain(
    '"readings": {"refused_token_status": "403"}',
  )
})

test('A flow under an advanced clock is exported without its built-in persona, which every sandbox has', async () => {
  const own = await startSandbox()
  await own.clock.advance(86_400)
  await createRelyingParty(own).use({ sandbox_persona: 'teen-16' })
  expect((await own.flows.export('f1', 'scenario')).text).not.toContain('date_of_birth')
})
