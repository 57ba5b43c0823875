import { replyOf, SERVER_CALLS, type ServerCall } from '../../../service/oidc/endpoints.ts'
import { withHeaders, withJson, withoutBody, withText } from '../answer-changes.ts'
import { FAMILIES } from '../families.ts'
import { changedReply, NO_DOCUMENT, type OutcomeRow, replyInstead } from '../outcome-row.ts'

const STATUS =
  'A status of 500 and above says nothing about the request: log it, tell the user to try again later.'
const RETRY = 'Wait as long as Retry-After says before the next try, and try only a few times.'
const JSON_ONLY =
  'Read the body only after status and Content-Type, and be ready for one that is not JSON.'
const TIMEOUT =
  'Give every call a time limit of a few seconds, so that no user waits for a dead connection.'
const KEPT = 'Refuse, or go on with what was fetched before.'
const NO_REDIRECT = 'Follow no redirect: it would carry credentials to another server.'

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const PAGE =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

/** Retrying, using an earlier result and giving up are all correct. */
const EITHER = { correctClient: 'depends' } as const

/** Failures that any server-to-server call can have. */
export const SERVER_FAILURES: readonly OutcomeRow[] = SERVER_CALLS.flatMap(failuresOf)

function failuresOf(flow: ServerCall): OutcomeRow[] {
  const instead = replyInstead(flow)
  const changed = changedReply(flow)
  const isRead = flow === 'discovery' || flow === 'jwks'
  const ofRead = isRead ? { ...EITHER, harm: NO_DOCUMENT } : {}
  const rule = (text: string) => (isRead ? `${text} ${KEPT}` : text)
  return [
    instead('500', 'failure', {
      ...ofRead,
      breaks: ['status', ...replyOf(flow).members],
      summary: '500 with an OAuth error body.',
      rule: rule(STATUS),
      apply: (reply) => ({
        ...withJson(reply, {
          error: 'server_error',
          error_description: 'the service failed unexpectedly',
        }),
        status: 500,
      }),
    }),
    instead('502_html', 'failure', {
      ...ofRead,
      summary: '502 with the HTML page of a gateway.',
      rule: rule(`${STATUS} ${JSON_ONLY}`),
      apply: (reply) => ({ ...withHeaders(withText(reply, PAGE), HTML), status: 502 }),
    }),
    instead('503', 'failure', {
      ...ofRead,
      ...EITHER,
      summary: '503 with Retry-After: 30 and no body.',
      rule: `${STATUS} ${RETRY}`,
      apply: (reply) => ({
        ...withHeaders(withoutBody(reply), { 'Retry-After': '30' }),
        status: 503,
      }),
    }),
    instead('429', 'failure', {
      ...ofRead,
      ...EITHER,
      refs: ['RFC 6585 section 4'],
      summary: '429, too many requests, with Retry-After: 30 and no body.',
      rule: RETRY,
      apply: (reply) => ({
        ...withHeaders(withoutBody(reply), { 'Retry-After': '30' }),
        status: 429,
      }),
    }),
    instead('400_empty', 'failure', {
      ...ofRead,
      summary: '400 without a body.',
      rule: rule(JSON_ONLY),
      apply: (reply) => ({ ...withoutBody(reply), status: 400 }),
    }),
    instead('html', 'failure', {
      ...ofRead,
      breaks: ['body'],
      summary: '200 with an HTML page, as a captive portal answers.',
      rule: rule(JSON_ONLY),
      apply: (reply) => withHeaders(withText(reply, PAGE), HTML),
    }),
    instead('redirect', 'redirect', {
      ...(isRead && { ...EITHER, severity: 5.3, cwe: [346], harm: FAMILIES.discovery.harm }),
      summary: '307 to a trap of the sandbox.',
      rule: isRead
        ? `Follow no redirect, or one to the host of the issuer only. ${KEPT}`
        : NO_REDIRECT,
      apply: (reply, { createTrap }) => ({
        ...reply,
        body: { kind: 'redirect', location: createTrap() },
        status: 307,
      }),
    }),
    instead('dropped', 'connection', {
      ...EITHER,
      summary: 'The connection breaks before the service has done anything.',
      rule: replyOf(flow).unanswered,
      apply: (reply) => ({ ...reply, dropped: true }),
    }),
    changed('empty_body', 'failure', {
      ...ofRead,
      breaks: ['body'],
      summary: 'The right status, and no body.',
      rule: rule(JSON_ONLY),
      apply: (reply) => withoutBody(reply),
    }),
    changed('truncated', 'failure', {
      ...ofRead,
      breaks: ['body'],
      summary: 'The right status, and a body that ends in the middle.',
      rule: rule(JSON_ONLY),
      apply: (reply) => ({ ...reply, body: { kind: 'truncated', body: reply.body } }),
    }),
    changed('slow', 'connection', {
      correctClient: 'depends',
      refs: [],
      cwe: [1088],
      summary: 'The right reply, after 30 seconds or what slow_reply_seconds says.',
      rule: TIMEOUT,
      apply: (reply, { slowReplySeconds }) => ({ ...reply, delayMs: slowReplySeconds * 1000 }),
    }),
  ]
}
