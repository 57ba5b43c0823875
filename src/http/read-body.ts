import type { RequestHandler } from 'express'
import { Refusal } from '../oidc/refusal.ts'

/** Bytes of a body. */
export const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads the body of a request into `request.body`. A body that is too large is refused by its Content-Length before a byte of it is
 * read, and one without a length where it exceeds the limit. The connection then ends, so that the rest is not read either.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const {
    'content-length': length,
    'transfer-encoding': transfer,
    'content-encoding': encoding,
    expect,
  } = request.headers
  if (length === undefined && transfer === undefined) return next()
  if (Number(length) > MAX_BODY_BYTES) return next(tooLarge(`${length} bytes`))
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return next(encoded(encoding))
  if (/^100-continue$/i.test(expect ?? '')) response.writeContinue()

  const chunks: Buffer[] = []
  let bytes = 0
  const settle = (problem?: Refusal) => {
    request.off('data', take).off('end', end).off('error', fail)
    if (problem) return next(problem)
    request.body = Buffer.concat(chunks)
    next()
  }
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) return chunks.push(chunk)
    request.pause()
    return settle(tooLarge(`more than ${MAX_BODY_BYTES} bytes`))
  }
  const end = () => settle()
  const fail = () => settle(cutOff())
  request.on('data', take).on('end', end).on('error', fail)
}

const tooLarge = (size: string) =>
  unreadable(413, `the body has ${size}, and ${MAX_BODY_BYTES} are read at most: send fewer or shorter values`, {
    Connection: 'close',
  })

const encoded = (encoding: string) =>
  unreadable(415, `Content-Encoding ${encoding} is not read: send the body without it`)

const cutOff = () => unreadable(400, 'the body cannot be read: the connection ended before all of it had come')

const unreadable = (status: number, message: string, headers = {}) =>
  Refusal.byHttp(status, message, { title: 'This request cannot be read', headers })
