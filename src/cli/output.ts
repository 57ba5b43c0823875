import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/**
 * Stdout or stderr as something that can be full, closed or not read.
 * Writes a text and returns the error that is known to prevent it. With `maxUnreadBytes` nothing is written while a reader has
 * left more than that unread.
 */
export type Output = (text: string, options?: { readonly maxUnreadBytes?: number }) => Error | undefined

/** Creates the output of a standard stream of the process. No error of the stream ends the process from then on. */
export function createOutput(stream: Writable & { readonly fd: number }): Output {
  return stream instanceof Socket ? createSocketOutput(stream) : createFileOutput(stream)
}

/** A pipe or terminal: an error comes later, and is the last one. */
function createSocketOutput(stream: Socket): Output {
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  return (text, { maxUnreadBytes = Number.POSITIVE_INFINITY } = {}) => {
    if (failure !== undefined) return failure
    if (stream.writableLength > maxUnreadBytes) return new Error('its reader does not read')
    stream.write(text)
    return undefined
  }
}

/** A file or device. It is written without its stream, which is closed by the first error: a full disk may have room later. */
function createFileOutput(stream: Writable & { readonly fd: number }): Output {
  // What others write, for example Node itself.
  stream.on('error', () => {})
  let isTorn = false
  return (text) => {
    const bytes = Buffer.from(isTorn ? `\n${text}` : text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(stream.fd, bytes, written)
      isTorn = false
      return undefined
    } catch (error) {
      if (written > 0) isTorn = bytes[written - 1] !== NEWLINE
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

const NEWLINE = 0x0a
