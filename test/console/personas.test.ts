import { describe, expect, it } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, tagsOf } from '../support/markup.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PERSONAS = '/_sandbox/console/personas'

describe('the personas page', () => {
  it('has the personas in the order of the choice page', async () => {
    const sandbox = await startSandbox()
    const choice = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const names = (page: string) =>
      tagsOf(page).flatMap(({ attributes }) => /^persona-(.+)/.exec(attributes['data-testid'] ?? '')?.[1] ?? [])
    expect(names((await sandbox.request.get(PERSONAS)).text)).toEqual(names(choice.text))
  })

  it('leads from each page to the next one, in the same order', async () => {
    const sandbox = await startSandbox()
    for (let n = 0; n < 30; n++)
      await sandbox.personas.put({ name: `one-of-many-${n}`, title: 'One of many', purpose: 'Fills a page' })
    const read = async (query: string) => {
      const { text } = await sandbox.request.get(PERSONAS + query)
      return {
        names: text.match(/(?<=data-testid="persona-)[\w-]+/g) ?? [],
        next: /href="(\?after=[^"]+)"/.exec(text)?.[1],
      }
    }
    const first = await read('')
    const second = await read(first.next ?? '')
    expect([first.names.length, second.next]).toEqual([60, undefined])
    const all = (await sandbox.personas.list()).map(({ name }) => name)
    expect([...first.names, ...second.names].sort()).toEqual(all.sort())
  })

  it('makes this browser act as a persona, until it stops', async () => {
    const sandbox = await startSandbox()
    const browser = createBrowserClient(sandbox.url)
    const acting = await browser.submit(PERSONAS, { persona: 'teen-16' })
    expect(acting.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=teen-16; .*HttpOnly/)
    expect(byTestId((await browser.get(acting.headers.location ?? '')).text, 'acting')).toHaveLength(1)
    const stopped = await browser.submit(PERSONAS, { persona: '' })
    expect(stopped.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=; Max-Age=0/)
  })
})
