import { expect, test } from 'vitest'
import { tagsOf, textOf } from '../support/markup.ts'
import { type Visit, visitEveryPage } from './every-page.ts'

/** Begins every value, so that a page that shows one is known. Nothing has such a name. */
const MARK = 'Zqx!'

const HOSTILE = {
  'markup that ends an attribute': '"><script>hacked()</script><b x="',
  'a quote that ends an attribute': "' onload='hacked()' x='",
  'the ends of elements, and a comment': '</title></textarea></select></form><!--',
  'references and placeholders': '&quot;&lt;i&gt;&#60;i&#62;&amp $1 $& {client}',
  'writing from right to left': '\u202e\u2066<i>\u200f',
  'control characters': '\u0001\b\t\u000b\u001b\u007f\u0085\u2028<i>\r\n',
  'a very long text': '"><i>'.repeat(120),
}

/** Elements in the order of the page, each with the names of its attributes. @throws Error at a `<` that opens none */
const shapeOf = (page: string) =>
  tagsOf(page).map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '))

/** Whether a page holds a value, as a text or in an attribute. */
const shows = (page: string) => `${textOf(page)} ${JSON.stringify(tagsOf(page))}`.includes(MARK)

async function pagesWith(value: string) {
  const isPage = ({ answer }: Visit) => answer.headers['content-type']?.startsWith('text/html') === true
  const visits = await visitEveryPage(MARK + value)
  return visits.filter(isPage).map(({ name, answer: { status, text } }) => {
    return { name, status, shows: shows(text), shape: shapeOf(text) }
  })
}

test('The pages that are visited show what callers and the config say', async () => {
  const pages = await pagesWith(' plain text')
  expect(pages.length).toBeGreaterThan(60)
  expect(pages.filter((page) => page.shows).length).toBeGreaterThan(50)
})

test.each(Object.entries(HOSTILE))('No page gets an element or an attribute from data: %s', async (_name, value) => {
  // As long as the value, also in a URL, because pages show the beginning of a long text only.
  const harmless = value.replaceAll(/[<>"'&]/g, '|')
  expect(await pagesWith(value)).toEqual(await pagesWith(harmless))
})
