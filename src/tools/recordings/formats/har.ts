import {
  type CallRecord,
  type RecordedResponse,
  shownAddress,
  shownResponse,
} from '../../../sandbox/journal/call-record.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import type { Recording } from '../recording.ts'
import { fileHeading } from './file-heading.ts'

/** The value of HAR 1.2 for an unknown size. */
const UNKNOWN = -1

/** Writes a flow as an HTTP archive (HAR 1.2), with all calls as the journal keeps them. */
export function harText({ flow, baseUrl, version, ...recording }: Recording): string {
  const comment = fileHeading(
    { ...recording, flow, baseUrl, version, leftOut: [] },
    { use: ['Sizes, durations and most headers are not recorded.'], holdsToken: true },
  )
  const entries = flow.calls.map((call) => entryOf(call, baseUrl))
  const log = {
    version: '1.2',
    creator: { name: 'agekey-sandbox', version },
    entries,
    comment: comment.join(' '),
  }
  return `${JSON.stringify({ log }, undefined, 2)}\n`
}

function entryOf(call: CallRecord, baseUrl: string) {
  const { at, endpoint, decision } = call
  const said = [endpoint, decision?.persona, decision?.outcome, decision?.decided_by]
  return {
    startedDateTime: at,
    time: 0,
    request: requestOf(call, baseUrl),
    response: responseOf(call),
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    comment: said.filter((text) => text !== undefined).join(', '),
  }
}

function requestOf(call: CallRecord, baseUrl: string) {
  const { method, path, endpoint, parameters, traceparent, accept } = call
  const pairs = Object.entries(parameters).map(([name, value]) => ({ name, value: textOf(value) }))
  const text = new URLSearchParams(
    pairs.map(({ name, value }): [string, string] => [name, value]),
  ).toString()
  const form = { mimeType: 'application/x-www-form-urlencoded', params: pairs, text }
  const body =
    endpoint === ENDPOINTS.upgrade.number
      ? { mimeType: 'application/json', params: [], text: JSON.stringify(parameters) }
      : form
  const isRead = method === 'GET'
  return {
    method,
    url: isRead && text !== '' ? `${baseUrl}${path}?${text}` : `${baseUrl}${path}`,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [
      ...(isRead ? [] : [{ name: 'Content-Type', value: body.mimeType }]),
      ...(accept === undefined ? [] : [{ name: 'Accept', value: accept }]),
      ...(traceparent === undefined ? [] : [{ name: 'traceparent', value: traceparent }]),
    ],
    queryString: isRead ? pairs : [],
    ...(isRead ? {} : { postData: body }),
    headersSize: UNKNOWN,
    bodySize: isRead ? 0 : UNKNOWN,
  }
}

const MEDIA_TYPES: Readonly<Partial<Record<RecordedResponse['kind'], string>>> = {
  page: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
}

function responseOf({ response, status }: CallRecord) {
  const redirectURL = locationOf(response)
  const mimeType = MEDIA_TYPES[response.kind]
  const text = mimeType === undefined ? '' : textOf(shownResponse(response))
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [
      ...(mimeType === undefined ? [] : [{ name: 'Content-Type', value: mimeType }]),
      ...(redirectURL === '' ? [] : [{ name: 'Location', value: redirectURL }]),
    ],
    content: {
      size: Buffer.byteLength(text),
      mimeType: mimeType ?? 'x-unknown',
      text,
      ...(response.kind === 'page' && {
        comment: 'What the page shows; its markup is not recorded.',
      }),
    },
    redirectURL,
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
    ...(response.kind === 'dropped' && {
      comment: 'The connection was closed without a response.',
    }),
  }
}

function locationOf(response: RecordedResponse): string {
  if (response.kind === 'redirect') return response.location
  return response.kind === 'callback' ? shownAddress(response.callback) : ''
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
