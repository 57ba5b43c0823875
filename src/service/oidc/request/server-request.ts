import { isUtf8 } from 'node:buffer'
import { quote } from '../../text/message-parts.ts'
import { Findings } from '../rules/findings.ts'
import type { Profile } from '../rules/profile.ts'
import type { RuleId } from '../rules/rules.ts'
import type { Pairs } from './parameters.ts'

/** The parts of a server-to-server call that the service reads. */
export interface ServerRequest {
  readonly contentType: string | undefined
  readonly authorization: string | undefined
  readonly body: Uint8Array
  /**
   * The body, decoded as a form.
   * @throws Refusal 400 for too many parameters
   */
  readonly formPairs: Pairs
}

/**
 * The body of a call as text.
 * @throws Refusal 415 for another media type, 400 when the body is not UTF-8
 */
export function readBody(
  request: ServerRequest,
  expected: { mediaType: string; wrongType: RuleId; notUtf8: RuleId; profile: Profile },
): string {
  const findings = new Findings(expected.profile)
  const mediaType = request.contentType?.replace(/;.*/s, '').trim().toLowerCase()
  if (mediaType !== expected.mediaType) {
    const message = `Content-Type must be ${expected.mediaType}, ${mediaType ? `not ${quote(mediaType)}` : 'but it is missing'}`
    findings.add(expected.wrongType, { path: 'Content-Type', message })
    throw findings.toRefusal({ status: 415 })
  }
  if (!isUtf8(request.body)) {
    findings.add(expected.notUtf8, { path: '', message: 'the body is not UTF-8' })
    throw findings.toRefusal()
  }
  return new TextDecoder().decode(request.body)
}
