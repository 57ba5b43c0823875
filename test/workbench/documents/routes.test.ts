import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findDocuments } from '../../../src/workbench/documents/documents.ts'
import { linkTargets } from '../../docs/page.ts'
import { readError } from '../../support/error-body.ts'
import { tagsOf, textOf } from '../../support/markup.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const ROOT = new URL('../../../', import.meta.url)
const documents = findDocuments()
const { request, ...sandbox } = await shareSandbox()

/** What the links and images of a page lead to on the same server, from the root of the server. */
function addressesOf(page: string, path: string): string[] {
  const addresses = tagsOf(page).flatMap(({ attributes: { href, src } }) => href ?? src ?? [])
  const own = 'http://sandbox.test'
  const urls = addresses.map((address) => new URL(address, `${own}${path}`))
  return urls
    .filter(({ origin }) => origin === own)
    .map(({ pathname, search, hash }) => `${pathname}${search}${hash}`)
}

// The address of a tenant below a base path has all that the pages have to put before a link.
test('The documents of a tenant below a base path have no link, anchor or picture that leads nowhere', async () => {
  const { request } = await startSandbox({ basePath: '/agekey' })
  const index = '/agekey/t/qa/_sandbox/docs'
  const pages = [index, ...documents.map(({ name }) => `${index}/${name}`)]
  const answers = new Map<string, PromiseLike<{ status: number; text: string }>>()
  const open = (path: string) => {
    const answer = answers.get(path) ?? request.get(path).then()
    answers.set(path, answer)
    return answer
  }
  const isDead = async (address: string) => {
    const [path = '', hash = ''] = address.split('#')
    const { status, text } = await open(path)
    // The server also answers without the prefix: such a link would leave the tenant.
    if (status !== 200 || (path.includes('/_sandbox/docs') && !path.startsWith(index))) return true
    return hash !== '' && !text.includes(` id="${decodeURIComponent(hash)}"`)
  }
  const dead: string[] = []
  for (const page of pages)
    for (const address of addressesOf((await open(page)).text, page))
      if (await isDead(address)) dead.push(`${page} -> ${address}`)
  expect(dead).toEqual([])
  expect(addressesOf((await open(index)).text, index)).toEqual(expect.arrayContaining(pages))
  await request.get(`${index}/readme.md`).expect('Location', '/agekey/t/qa/_sandbox/README.md')
})

test('The documents are listed with their titles', async () => {
  const { text } = await request.get('/_sandbox/docs').expect(200)
  for (const { title, line } of documents) expect(textOf(text)).toContain(`${title} ${line}`)
})

test('The list of documents names the version that runs', async () => {
  const { text } = await request.get('/_sandbox/docs').expect(200)
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
  expect(textOf(text)).toContain(`version ${version}`)
})

test.each(documents)(
  '$file is served as a page with sections and links, and as plain Markdown',
  async (document) => {
    const { name, title, sections, file, markdown } = document
    const page = await request.get(`/_sandbox/docs/${name}`).expect(200)
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    expect(textOf(page.text)).toContain(title)
    const ids = tagsOf(page.text).flatMap(({ attributes }) => attributes['id'] ?? [])
    expect(ids).toEqual(expect.arrayContaining(sections.slice(1).map(({ anchor }) => anchor)))
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])

    const isOwn = (address: string) => !/^https?:/.test(address)
    const article = page.text.slice(page.text.indexOf('<article'), page.text.indexOf('</article>'))
    const shown = tagsOf(article).flatMap(
      ({ attributes: { href, src, srcset } }) => href ?? src ?? srcset ?? [],
    )
    expect(shown.filter(isOwn)).toHaveLength(linkTargets(markdown).filter(isOwn).length)

    const written = await request.get(`/_sandbox/${file}`).expect(200)
    expect(written.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(written.text).toBe(readFileSync(new URL(file, ROOT), 'utf8'))
    expect((await request.get(`/_sandbox/docs/${name}.md`).redirects(1)).text).toBe(written.text)
  },
)

test('The documents are open beyond this machine without the control token', async () => {
  const { request } = await startSandbox({
    baseUrl: 'http://sandbox.test',
    controlToken: 'secret-token',
  })
  await request.get('/_sandbox/catalog').expect(401)
  for (const path of ['docs', 'docs/audit', 'docs/audit.md', 'docs/search?q=issuer', 'llms.txt'])
    await request.get(`/_sandbox/${path}`).expect(200)
})

test('A document that does not exist is answered by the nearest ones', async () => {
  const answer = await request
    .get('/_sandbox/docs/audits')
    .set('Accept', 'application/json')
    .expect(404)
  const said =
    'docs: there is no document "audits". Did you mean "audit"? /_sandbox/docs lists all.'
  expect(readError(answer).error_description).toBe(said)
  await request.get('/_sandbox/docs/readmee.md').expect(404)
})

/** In a document as Markdown, addresses of the browser are relative to `/_sandbox/docs/`. */
test('Each relative link of a document as Markdown leads to a file', async () => {
  const targets = documents.flatMap(({ file, markdown }) =>
    linkTargets(markdown).flatMap((target) =>
      /^[a-z]+:|^#/.test(target) ? [] : [new URL(target, `http://a/${file}`)],
    ),
  )
  const paths = [...new Set(targets.map(({ pathname }) => pathname))]
  const dead = []
  for (const path of paths)
    if ((await request.get(`/_sandbox${path}`)).status !== 200) dead.push(path)
  expect(paths.length).toBeGreaterThan(30)
  expect(dead).toEqual([])
})

test('The example apps to which documents link are served file by file', async () => {
  const { text } = await request.get('/_sandbox/examples/express/app.js').expect(200)
  expect(text).toBe(readFileSync(new URL('examples/express/app.js', ROOT), 'utf8'))
  await request.get('/_sandbox/examples/clients/age.conf').expect(200)
  expect((await request.get('/_sandbox/examples/express/')).text).toMatch(/^# /)
  const { text: missing } = await request.get('/_sandbox/examples/express/nothing.js').expect(404)
  expect(missing).toContain('the repository has the examples')
})

test('No file of the package is served that is no document', async () => {
  const outside = [
    'docs/..%2Fpackage.json',
    'docs/scenarios/..%2F..%2Fpackage.json',
    'package.json',
  ]
  for (const path of [...outside, 'docs/scenarios/nothing.yaml'])
    await request.get(`/_sandbox/${path}`).expect(404)
})

test.each(['', '/_sandbox', '/t/qa/_sandbox'])(
  '%s/llms.txt leads to each document as Markdown',
  async (path) => {
    const { text, headers } = await request.get(`${path}/llms.txt`).expect(200)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^# agekey-sandbox\n\n> .*\n/)
    const links = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, url = '']) => url)
    expect(links).toHaveLength(documents.length)
    for (const url of links) {
      expect(
        url.startsWith(path.startsWith('/t/') ? sandbox.tenant('qa').baseUrl : sandbox.baseUrl),
      ).toBe(true)
      expect((await fetch(url)).headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    }
  },
)

test('The search page leads to the sections that it found, with their words marked, or says that there are none', async () => {
  const search = async (query: object) =>
    (await request.get('/_sandbox/docs/search').query(query).expect(200)).text
  const found = await search({ q: 'PAR-07' })
  expect(found).toContain('<mark>PAR-07</mark>')
  expect(
    addressesOf(found, '/_sandbox/docs/search').some((address) => /docs\/rules#\w/.test(address)),
  ).toBe(true)
  const none = await search({ q: '<b>zzzqq' })
  expect(none).toContain('value="&lt;b&gt;zzzqq"')
  expect(textOf(none)).toContain('No section has all of these words')
  const unasked = await search({})
  expect(textOf(unasked)).toContain('Type a word')
  expect(unasked).not.toContain('class="doc-found"')
})
