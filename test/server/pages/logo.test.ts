import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../support/folder-with.ts'
import { tagsOf } from '../../support/markup.ts'
import { REDIRECT_URI, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

async function startWithLogo(fileName: string, content?: string | Uint8Array) {
  const logo = join(folderWith(), fileName)
  if (content !== undefined) await writeFile(logo, content)
  const client = {
    clientId: 'shop/1?',
    clientSecret: 'secret',
    name: 'Shop',
    logo,
    redirectUris: [REDIRECT_URI],
  }
  const { request } = await startSandbox({ clients: [client] })
  const shown = async () => {
    const { text } = await request
      .get('/t/one/v1/oidc/use')
      .query(useRequest({ client_id: 'shop/1?' }))
    return tagsOf(text).find(({ attributes }) => attributes['class'] === 'client-logo')?.attributes[
      'src'
    ]
  }
  return { request, logo, shown }
}

test.each([
  ['logo.svg', 'image/svg+xml'],
  ['logo.png', 'image/png'],
  ['LOGO.JPG', 'image/jpeg'],
  ['logo.jpeg', 'image/jpeg'],
  ['logo.webp', 'image/webp'],
])('The logo %s of a client is served as %s, byte by byte', async (fileName, type) => {
  const bytes = Uint8Array.from([0x89, 0xff, 0x00, 0xfe])
  const { request, shown } = await startWithLogo(fileName, bytes)
  const path = (await shown()) ?? ''
  expect(path).toMatch(/^\/t\/one\//)
  const answer = await request.get(path).responseType('blob')
  expect(new Uint8Array(answer.body)).toEqual(bytes)
  expect(answer.headers).toMatchObject({
    'content-type': type,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  })
})

test('The logo of a client follows its file on the next request: changed, added or removed', async () => {
  const { request, logo, shown } = await startWithLogo('logo.svg')
  expect(await shown()).toBeUndefined()
  await writeFile(logo, SVG)
  const first = (await shown()) ?? ''
  expect(String((await request.get(first)).body)).toBe(SVG)
  await writeFile(logo, '<svg/>')
  await utimes(logo, 1, 1)
  expect(await shown()).not.toBe(first)
  expect(String((await request.get(first)).body)).toBe('<svg/>')
  await rm(logo)
  expect(await shown()).toBeUndefined()
  await request.get(first).expect(404)
})

test('The logo of a client is never a file that the config does not name as an image', async () => {
  const { request, shown } = await startWithLogo('secrets.yaml', 'client_secret: x')
  expect(await shown()).toBeUndefined()
  for (const client of ['shop%2F1%3F', 'ak_test_sandbox', '..%2F..%2Fetc%2Fpasswd'])
    await request.get(`/_sandbox/clients/${client}/logo`).expect(404)
})
