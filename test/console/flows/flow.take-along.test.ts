import { expect, test } from 'vitest'
import { RECORDING_NAMES } from '../../../src/sandbox/recordings/formats.ts'
import { tagsOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('The page of a flow links the flow as a file of each format', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16' })
  const page = await sandbox.request.get('/_sandbox/console/flows/f1')
  const links = tagsOf(page.text).filter(({ attributes }) => attributes['href']?.includes('?as='))
  expect(links.map(({ attributes }) => attributes['href'])).toEqual(
    RECORDING_NAMES.map((name) => `/_sandbox/flows/f1?as=${name}`),
  )
  for (const { attributes } of links) {
    const { status, headers } = await sandbox.request.get(attributes['href'] ?? '')
    expect(status).toBe(200)
    expect(headers['content-disposition']).toContain(attributes['download'])
  }
})
