import { expect, test } from 'vitest'
import { tagsOf, textOf } from '../support/markup.ts'
import { expectPromises, isHosted, isPage } from './every-answer.ts'
import { visitEveryPage } from './every-page.ts'

/** Begins every value, so that a page that shows one is known. Nothing has such a name. */
const MARK = 'Zqx!'

/** Each is short, because a title is cut at 100 characters, but for the one that is long on purpose. */
const HOSTILE = {
  'markup and quotes that end an attribute': `"><script>hacked()</script><b x="' onload='hacked()' x='`,
  'the ends of elements, a comment, references and placeholders':
    '</title></textarea></select></form><!--&quot;&lt;i&gt;&#60;i&#62;&amp $1 $& {client}',
  'writing from right to left, and control characters':
    '\u202e\u2066<i>\u200f\u0001\b\t\u000b\u001b\u007f\u0085\u2028<i>\r\n',
  'a very long text': '"><i>'.repeat(120),
}

/** Elements in the order of the page, each with the names of its attributes. @throws Error at a `<` that opens none */
/** Without the places where a long word may break: they depend on its characters. */
const shapeOf = (page: string) =>
  tagsOf(page.replaceAll('<wbr>', '')).map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '))

/** Whether a page holds a value, as a text or in an attribute. */
const shows = (page: string) => `${textOf(page)} ${JSON.stringify(tagsOf(page))}`.includes(MARK)

async function pagesWith(value: string) {
  const visits = (await visitEveryPage(MARK + value)).filter(({ answer }) => isPage(answer))
  return visits.map(({ name, answer: { status, text } }) => ({
    name,
    status,
    shows: shows(text),
    shape: shapeOf(text),
  }))
}

test('The pages that are visited show what callers and the config say, and keep what all answers promise', async () => {
  const visits = await visitEveryPage(`${MARK} plain text`)
  const pages = visits.filter(({ answer }) => isPage(answer))
  expect(pages.length).toBeGreaterThan(60)
  expect(pages.filter(({ answer }) => shows(answer.text)).length).toBeGreaterThan(50)
  for (const { path, answer } of visits) expectPromises(path, answer)
  const hosted = pages.filter(({ path }) => isHosted(path)).length
  expect(hosted).toBeGreaterThan(15)
  expect(pages.length - hosted).toBeGreaterThan(30)
})

test.each(Object.entries(HOSTILE))('No page gets an element or an attribute from data: %s', async (_name, value) => {
  // As long as the value, also in the path of a URL, because pages show the beginning of a long text only.
  const harmless = value.replaceAll(/[<>"'&]/g, '`')
  expect(await pagesWith(value)).toEqual(await pagesWith(harmless))
})
