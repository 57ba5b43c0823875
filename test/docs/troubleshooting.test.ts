import { describe, expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { WEB_SHOP } from '../support/web-shop.ts'
import { readPage } from './page.ts'
import { TROUBLES } from './troubleshooting.cases.ts'

/** The parts of the page by their headings, each with the block of what is seen. */
const shownBy = new Map(
  readPage('troubleshooting.md')
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.split('\n', 1)[0] ?? '', /^```text\n(.*?)\n```/ms.exec(part)?.[1]]),
)

/** Without the link to the flow, and with the address of the page. */
const asOnThePage = (text: string, baseUrl: string) =>
  text.replace(/ \(flow f\d+: [^ )]+\)/, '').replaceAll(baseUrl, 'http://localhost:2435')

describe('docs/troubleshooting.md shows what the product says at present:', () => {
  test.each(Object.entries(TROUBLES))('%s', async (heading, show) => {
    const sandbox = await startSandbox({ clients: [WEB_SHOP] })
    expect(asOnThePage(await show(sandbox), sandbox.baseUrl)).toBe(shownBy.get(heading))
  })
})

test('Each part of the troubleshooting page has a case that makes its message, and there are 20 of them at least', () => {
  expect([...shownBy.keys()]).toEqual(Object.keys(TROUBLES))
  expect(shownBy.size).toBeGreaterThanOrEqual(20)
})

test('Each part of the troubleshooting page names the cause and the remedy', () => {
  const parts = readPage('troubleshooting.md').split(/^### /m).slice(1)
  const incomplete = parts.filter((part) => !/^\*\*Cause\.\*\* /m.test(part) || !/^\*\*Remedy\.\*\* /m.test(part))
  expect(incomplete.map((part) => part.split('\n', 1)[0])).toEqual([])
})
