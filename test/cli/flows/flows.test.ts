import { afterEach, expect, test, vi } from 'vitest'
import { flows } from '../../../src/cli/flows/flows.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

afterEach(() => void vi.restoreAllMocks())

/** What the command prints. */
async function printed(id: string | undefined, options: Parameters<typeof flows>[2]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await flows(id, {}, options)
  return write.mock.calls.map(([text]) => String(text)).join('')
}

test('flows lists the flows of a filter, shows one, and prints one as a file', async () => {
  const sandbox = await startSandbox()
  const party = createRelyingParty(sandbox)
  await party.use({ sandbox_persona: 'teen-16' })
  await party.use({ sandbox_persona: 'adult-passport' })
  const { url } = sandbox
  expect(JSON.parse(await printed(undefined, { url, json: true, persona: 'teen-16' }))).toMatchObject({
    flows: [{ id: 'f1' }],
  })
  vi.restoreAllMocks()
  expect(await printed('last', { url })).toMatch(/^f2 use ok: adult-passport/)
  vi.restoreAllMocks()
  expect(await printed('last', { url, as: 'mermaid', persona: 'teen-16' })).toMatch(/^sequenceDiagram\n {2}%% Flow f1 /)
})

test.each([
  ['an unknown format', 'f1', { as: 'mermai' }, '--as: there is no format "mermai". Did you mean "mermaid"?'],
  ['a format without a flow', undefined, { as: 'har' }, '--as: name a flow, for example f12 or last'],
  ['a word that is no flow', 'newest', {}, 'flows: "newest" is not the id of a flow; give one like f12, or last'],
  ['a limit that is no number', undefined, { limit: 'x' }, '--limit: "x" is not a whole number from 1 to 2000'],
])('flows refuses %s in one line', async (_, id, options, message) => {
  await expect(flows(id, {}, options)).rejects.toThrow(message)
})

test('flows names the newest flow for one that has been forgotten', async () => {
  const { url } = await startSandbox()
  await expect(flows('f99', {}, { url, as: 'har' })).rejects.toThrow(
    /^flow: there is none with the id "f99".*there is none yet$/,
  )
})
