import { expect, test } from 'vitest'
import { decodeReferences } from '../../support/markup.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { WEB_SHOP } from './views.ts'

const CLIENTS = Array.from({ length: 50 }, (_, n) => ({ ...WEB_SHOP, clientId: `qa-${n}` }))

test.each<
  [page: string, items: RegExp, shown: number, add: (sandbox: TestSandbox, name: string) => unknown]
>([
  [
    'personas?q=Fills',
    /(?<=data-testid="persona-)[\w-]+/g,
    60,
    ({ personas }, name) => personas.put({ name, title: name, purpose: 'Fills a page' }),
  ],
  [
    'tenants?q=QA-',
    /(?<=id="tenant-)[\w-]+/g,
    50,
    ({ tenant }, name) => tenant(name).configure({}),
  ],
  [
    'force',
    /state: qa-\d+/g,
    100,
    ({ next }, state) => next({ persona: 'teen-16', match: { state } }),
  ],
  // The client that is built in comes with them.
  ['setup', /(?<=data-testid="client-)[\w-]+/g, 50, () => undefined],
])(
  'The page %s leads to the next one, which keeps the search and has the rest',
  async (page, items, shown, add) => {
    const sandbox = await startSandbox({ clients: CLIENTS })
    for (let n = 0; n <= shown; n += 1) await add(sandbox, `qa-${n}`)
    const read = async (path: string) => {
      const { text } = await sandbox.request.get(`/_sandbox/console/${path}`)
      return {
        found: text.match(items) ?? [],
        next: /href="(\?[^"]*after=[^"]*)"/.exec(text)?.[1] ?? '',
      }
    }
    const first = await read(page)
    const [path = ''] = page.split('?')
    const second = await read(path + decodeReferences(first.next))
    expect(first.found).toHaveLength(shown)
    expect(second.next).toBe('')
    expect(new Set([...first.found, ...second.found])).toHaveProperty('size', shown + 1)
    expect(await read(`${page}${page.includes('?') ? '&' : '?'}after=gone`)).toEqual(first)
  },
)
