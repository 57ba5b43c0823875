import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shareSandbox } from '../../support/sandbox.ts'

const LONG = '/_sandbox/docs/outcomes'
const sandbox = await shareSandbox()

/** The bytes as they were sent. */
async function read(path: string, encoding: string) {
  const answer = await sandbox.request
    .get(path)
    .set('Accept-Encoding', encoding)
    .buffer(true)
    .parse((response, done) => {
      // Of superagent: what it has not unpacked yet.
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done(null, Buffer.concat(chunks)))
    })
  return {
    encoding: answer.headers['content-encoding'],
    length: Number(answer.headers['content-length']),
    answer,
  }
}

test('A long page is packed only for a browser that unpacks', async () => {
  const plain = await read(LONG, 'identity')
  const packed = await read(LONG, 'gzip')
  expect(plain.encoding).toBeUndefined()
  expect(packed.encoding).toBe('gzip')
  expect(plain.answer.body).toHaveLength(plain.length)
  expect(packed.length).toBeLessThan(plain.length / 3)
  const body: Buffer = packed.answer.body
  const text = body[0] === 0x1f ? gunzipSync(body) : body
  expect(text.toString()).toBe(plain.answer.body.toString())
})

test('A short page is sent as it is', async () => {
  expect((await read('/_sandbox/act-as/teen-16', 'gzip')).encoding).toBe(undefined)
})
