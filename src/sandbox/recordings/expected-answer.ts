import { isJsonObject } from '../../age/json-object.ts'
import type { Callback } from '../../oidc/callback.ts'
import { parseJson } from '../../oidc/request/json.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { ExpectedAnswer, ExpectedCallback } from './recording.ts'

/** What comes back when a call is made again, decided in the same way. @param answer the call that answered: that of a choice page, or the call itself */
export function expectedAnswer(answer: CallRecord): ExpectedAnswer {
  const { status, response, decision } = answer
  switch (response.kind) {
    case 'dropped':
      return { kind: 'dropped' }
    case 'callback':
      return fromCallback(response.callback)
    case 'page':
      if (response.params) return fromForm(response.params)
      // In an iframe a page took the place of the callback; opened at the top the same request is redirected.
      return decision && !response.error && !isSilent(decision.outcome)
        ? { kind: 'any' }
        : { kind: 'reply', status: decision ? 200 : status, error: undefined }
    case 'json':
      return { kind: 'reply', status, error: errorIn(response.value) }
    case 'redirect':
    case 'text':
      return { kind: 'reply', status, error: undefined }
  }
}

/** Whether the user closes the window: no callback follows. */
const isSilent = (outcome = '') =>
  (['use', 'create'] as const).some((flow) => findOutcome(flow, outcome)?.ending?.kind === 'no_answer')

function fromCallback({ mode, redirectUri, params }: Callback): ExpectedAnswer {
  const place = mode === 'form_post' ? 'form' : mode
  const own = place === 'query' && URL.canParse(redirectUri) ? [...new URL(redirectUri).searchParams.keys()] : []
  const names = [...own, ...params.map(([name]) => name)]
  return { kind: 'callback', status: place === 'form' ? 200 : 302, place, names, ...saying(Object.fromEntries(params)) }
}

const fromForm = (params: Readonly<Record<string, string>>): ExpectedAnswer => ({
  kind: 'callback',
  status: 200,
  place: 'form',
  names: Object.keys(params),
  ...saying(params),
})

const saying = ({
  error,
  id_token: token,
}: Readonly<Record<string, string>>): Pick<ExpectedCallback, 'error' | 'thresholds'> => ({
  error,
  thresholds: token === undefined ? undefined : thresholdsIn(token),
})

/** The answers of an id_token, whatever else is wrong with it; `undefined` when it cannot be read. */
function thresholdsIn(token: string): Record<string, boolean> | undefined {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const answers = payload.ok && isJsonObject(payload.value) ? payload.value['age_thresholds'] : undefined
  if (!isJsonObject(answers)) return undefined
  const entries = Object.entries(answers).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean')
  return entries.length === Object.keys(answers).length ? Object.fromEntries(entries) : undefined
}

const errorIn = (value: unknown): string | undefined =>
  isJsonObject(value) && typeof value['error'] === 'string' ? value['error'] : undefined
