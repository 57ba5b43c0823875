import * as z from 'zod'
import { breaks } from './explain.ts'

const MAX_LENGTH = 100

/** The identifier that a client chose for a verification: SIG-12. */
export const verificationIdSchema = z
  .string({
    error: breaks('SIG-12', `must be 1 to ${MAX_LENGTH} characters: letters, digits and _ + / = . -`, { fault }),
  })
  .regex(/^[A-Za-z0-9_+/=.-]{1,100}$/)

/** How long a text is that is too long, or the first character that it cannot have. */
function fault(text: string): string {
  if (text.length > MAX_LENGTH) return ` (${text.length} characters)`
  const index = text.search(/[^A-Za-z0-9_+/=.-]/)
  if (index < 0) return ''
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
  return ` (character ${index + 1} is ${character === ' ' ? 'a blank' : JSON.stringify(character)})`
}

const UUID_VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** What is recommended: SIG-13. */
export const isUuidVersion7 = (text: string): boolean => UUID_VERSION_7.test(text)
