import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tagsOf } from '../support/markup.ts'
import { REDIRECT_URI, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

async function startWithLogo(fileName: string, content?: string | Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'agekey-sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const logo = join(folder, fileName)
  if (content !== undefined) await writeFile(logo, content)
  const client = { clientId: 'shop/1?', clientSecret: 'secret', name: 'Shop', logo, redirectUris: [REDIRECT_URI] }
  const sandbox = await startSandbox({ clients: [client] })
  /** The address of the logo on the choice page. */
  const shown = async () => {
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id: 'shop/1?' }))
    return tagsOf(text).find(({ attributes }) => attributes['class'] === 'client-logo')?.attributes['src']
  }
  return { sandbox, logo, shown }
}

describe('the logo of a client', () => {
  it.each([
    ['logo.svg', 'image/svg+xml'],
    ['logo.png', 'image/png'],
    ['LOGO.JPG', 'image/jpeg'],
    ['logo.jpeg', 'image/jpeg'],
    ['logo.webp', 'image/webp'],
  ])('%s is served as %s, byte by byte', async (fileName, type) => {
    const bytes = Uint8Array.from([0x89, 0xff, 0x00, 0xfe])
    const { sandbox, shown } = await startWithLogo(fileName, bytes)
    const answer = await sandbox.request.get((await shown()) ?? '').responseType('blob')
    expect(answer.headers['content-type']).toBe(type)
    expect(new Uint8Array(answer.body)).toEqual(bytes)
  })

  it('can run no script when it is opened by itself', async () => {
    const { sandbox, shown } = await startWithLogo('logo.svg', SVG)
    const { headers } = await sandbox.request.get((await shown()) ?? '')
    expect(headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toBe('no-cache')
  })

  it('follows the file on the next request: changed, added or removed', async () => {
    const { sandbox, logo, shown } = await startWithLogo('logo.svg')
    expect(await shown()).toBeUndefined()
    await writeFile(logo, SVG)
    const first = await shown()
    expect((await sandbox.request.get(first ?? '')).body.toString()).toBe(SVG)
    await writeFile(logo, '<svg/>')
    await utimes(logo, 1, 1)
    expect(await shown()).not.toBe(first)
    expect((await sandbox.request.get(first ?? '')).body.toString()).toBe('<svg/>')
    await rm(logo)
    expect(await shown()).toBeUndefined()
    await sandbox.request.get(first ?? '').expect(404)
  })

  it('is never a file that the config does not name as an image', async () => {
    const { sandbox, shown } = await startWithLogo('secrets.yaml', 'client_secret: x')
    expect(await shown()).toBeUndefined()
    await sandbox.request.get('/_sandbox/clients/shop%2F1%3F/logo').expect(404)
    await sandbox.request.get('/_sandbox/clients/ak_test_sandbox/logo').expect(404)
    await sandbox.request.get('/_sandbox/clients/..%2F..%2Fetc%2Fpasswd/logo').expect(404)
  })
})
