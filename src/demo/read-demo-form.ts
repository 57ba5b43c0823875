import { type Fields, readForm } from '../http/form.ts'
import type { Incoming } from '../http/incoming.ts'
import { refuseLongValues } from '../oidc/request/echoed.ts'

/** The fields of a form of the demo, which a session keeps. @throws Refusal 400 for a long field */
export function readDemoForm(request: Incoming): Fields {
  const fields = readForm(request)
  refuseLongValues(Object.entries(fields), 'claims')
  return fields
}
