import { describe, expect, it } from 'vitest'
import { tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const FLOWS = '/_sandbox/console/flows'

describe('the flows page', () => {
  it('lists the flows of an app with their errors, and filters them', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.use({ state: 'good' })
    await sandbox.request.get('/v1/oidc/use').query('state=bad')
    const text = textOf((await sandbox.request.get(FLOWS)).text)
    expect(text).toMatch(/Use f2 .*client_id is missing.* error .*Use f1 .*adult-passport: 13 yes, 16 yes, 18 yes.* ok/)
    const filtered = textOf((await sandbox.request.get(`${FLOWS}?state=good`)).text)
    expect(filtered).not.toContain('f2')
  })

  it('shows why a request that breaks no rule is refused', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-61' }))
    const problem = 'there is no persona "teen-61"'
    expect(textOf((await sandbox.request.get(FLOWS)).text)).toMatch(new RegExp(`E1 refused with 400: .*${problem}`))
    const page = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(page).toContain(problem)
    expect(page).toContain('Correct the request')
  })

  it('shows the newest 50 and leads to the older ones', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    for (let index = 1; index <= 51; index += 1) await party.use({ state: `state-${index}` })
    const flowsOn = (page: string) =>
      tagsOf(page).filter(({ attributes }) => /^flow-f\d+$/.test(attributes['data-testid'] ?? ''))
    const first = (await sandbox.request.get(FLOWS)).text
    expect(flowsOn(first)).toHaveLength(50)
    const older = tagsOf(first).find(({ attributes }) => attributes['href']?.startsWith('?before='))?.attributes['href']
    expect(older).toBe('?before=f2')
    expect(flowsOn((await sandbox.request.get(`${FLOWS}${older}`)).text)).toHaveLength(1)
  })

  it.each([
    ['status=error', ['f2']],
    ['q=GOOD', ['f1']],
    ['q=nowhere', []],
    ['status=unknown', ['f2', 'f1']],
  ])('shows with %s only the flows that match, and a way to every flow', async (query, ids) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ state: 'good' })
    await sandbox.request.get('/v1/oidc/use').query('state=bad')
    const { text } = await sandbox.request.get(`${FLOWS}?${query}`)
    expect([...text.matchAll(/data-testid="flow-(f\d+)"/g)].map(([, id]) => id)).toEqual(ids)
    expect(textOf(text).includes('Show every flow')).toBe(query !== 'status=unknown')
  })
})
