import { type Fields, readForm } from '../http/form.ts'
import { refuseCrossSite } from '../http/guard/guard.ts'
import type { HttpHost } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { refuseLongValues } from '../oidc/request/echoed.ts'

/** The fields of a form of the demo, which a session keeps. @throws Refusal 403 for a form of another site, 400 for a long field */
export function readDemoForm(request: Incoming, { guard }: HttpHost): Fields {
  refuseCrossSite(request, guard.origins)
  const fields = readForm(request)
  refuseLongValues(Object.entries(fields), 'claims')
  return fields
}
