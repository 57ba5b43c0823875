import { finished } from 'node:stream'
import type { NextFunction, Request, RequestHandler } from 'express'
import { Refusal } from '../../service/oidc/refusal.ts'

const MAX_BODY_BYTES = 64 * 1024
/**
 * Maximum number of bytes of YAML. Parsing YAML takes a hundred times as long as parsing JSON of
 * the same size.
 */
const MAX_YAML_BYTES = 16 * 1024
/** Maximum number of bytes of a console form that uploads a file. */
export const MAX_UPLOAD_BYTES = 2 * 1024 * 1024
/**
 * Maximum number of bytes that an upload may have to be received and discarded. The browser shows
 * the answer only after it has sent the whole file.
 */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/**
 * Reads the body of a request into `request.body`. A Content-Length beyond the limit is refused
 * before the body is read. A chunked body is refused when it exceeds the limit. After both refusals
 * the connection closes and the rest stays unread.
 */
export const bufferBody: RequestHandler = (request, response, next) => {
  const { 'content-length': length, 'transfer-encoding': transfer, expect } = request.headers
  if (length === undefined && transfer === undefined) return next()
  const max = isUpload(request) ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES
  const isTooLong = Number(length) > max
  const isDropped = isTooLong && isUpload(request) && Number(length) <= MAX_DROPPED_BYTES
  if (isTooLong && !isDropped) return next(tooLarge(`${length} bytes`, max))
  const encoding = encodingOf(request)
  if (encoding !== undefined) return next(encoded(encoding))
  if (/^100-continue$/i.test(expect ?? '')) response.writeContinue()
  if (isDropped)
    finished(request.resume(), { writable: false }, (error) => next(error ? cutOff() : undefined))
  else collect(request, max, next)
}

/** Reads the bytes of a body into `request.body`, up to `max`. */
function collect(request: Request, max: number, next: NextFunction): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let isSettled = false
  const settle = (problem?: Refusal) => {
    if (isSettled) return
    isSettled = true
    if (problem) return next(problem)
    request.body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    next()
  }
  request
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= max) return chunks.push(chunk)
      request.pause()
      return settle(tooLarge(`more than ${max} bytes`, max))
    })
    .on('end', () => settle())
    .on('error', () => settle(cutOff()))
}

/** The content coding of the body; `undefined` for an uncompressed body. */
function encodingOf({ headers }: Request): string | undefined {
  const encoding = headers['content-encoding']
  return encoding?.toLowerCase() === 'identity' ? undefined : encoding
}

/** The only form that uploads a file: the report of an audit. */
const isUpload = ({ method, path }: Request) =>
  method === 'POST' && path.endsWith('/_sandbox/console/audit')

const tooLarge = (size: string, max: number) =>
  unreadable(
    413,
    `the body has ${size}, and ${max} are read at most: send fewer or shorter values`,
    {
      Connection: 'close',
    },
  )

/** @throws Refusal 413 for YAML that is too long to parse quickly */
export function requireShortYaml(bytes: number): void {
  if (bytes <= MAX_YAML_BYTES) return
  const limits = `${MAX_YAML_BYTES} are read at most: send it in parts, or as JSON, which may have ${MAX_BODY_BYTES}`
  throw unreadable(413, `the YAML has ${bytes} bytes, and ${limits}`)
}

const encoded = (encoding: string) =>
  unreadable(415, `Content-Encoding ${encoding} is not read: send the body without it`)

const cutOff = () =>
  unreadable(400, 'the body cannot be read: the connection ended before all of it had come')

const unreadable = (status: number, message: string, headers = {}) =>
  Refusal.byHttp(status, message, { title: 'This request cannot be read', headers })
