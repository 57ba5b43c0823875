import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readPage } from '../docs/page.ts'

const page = readPage('clients.md')

test('every link of the page on clients leads to a file or to one of its headings', () => {
  const anchors = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  const links = [...page.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
  const astray = links.filter(([, file = '', anchor = '']) =>
    file === '' ? !anchors.includes(anchor) : !existsSync(new URL(`../../docs/${file}`, import.meta.url)),
  )
  expect(links.length).toBeGreaterThan(10)
  expect(astray.map(([link]) => link)).toEqual([])
})

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
