import { describe, expect, it } from 'vitest'
import { inPersonaOrder } from '../../src/sandbox/personas/persona-order.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const PERSONAS = '/_sandbox/console/personas'

describe('the personas page', () => {
  it('has the personas under their headings, as they are declared, with the usual one first', async () => {
    const sandbox = await startSandbox()
    const names = (await sandbox.request.get(PERSONAS)).text.match(/(?<=data-testid="persona-)[\w-]+/g) ?? []
    expect(names).toEqual(inPersonaOrder(await sandbox.personas.list()).map(({ name }) => name))
    expect(names[0]).toBe('adult-passport')
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

  it('shows one group, with what each persona holds, its YAML with relative dates, and a way to try claims on it', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.set('2026-05-01T12:00:00Z')
    const { text } = await sandbox.request.get(PERSONAS).query({ group: 'Birthdays', q: 'turns-18' })
    expect(text.match(/(?<=data-testid="persona-)[\w-]+/g)).toEqual(['turns-18-tomorrow'])
    expect(textOf(text)).toMatch(/born 2008-05-02 by id_doc_scan ?, .*verified 2026-04-01 12:00:00Z by \/veratad\/roc/)
    expect(text).toContain('date_of_birth: today - 18y + 1d')
    expect(text).toContain('/playground?persona=turns-18-tomorrow&amp;q=turns-18-tomorrow')
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
