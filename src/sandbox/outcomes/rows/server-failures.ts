import { OUTCOME_FLOWS, type OutcomeFlow } from '../outcome.ts'
import type { OutcomeRow } from '../outcome-row.ts'
import {
  changedReply,
  replyInstead,
  type ServerFlow,
  withHeaders,
  withJson,
  withoutBody,
  withText,
} from '../reply-changes.ts'

const isServerFlow = (flow: OutcomeFlow): flow is ServerFlow => flow !== 'use' && flow !== 'create'

const STATUS = 'A status of 500 and above says nothing about the request: log it, tell the user to try again later.'
const RETRY = 'Wait as long as Retry-After says before the next try, and try only a few times.'
const JSON_ONLY = 'Read the body only after status and Content-Type, and be ready for one that is not JSON.'
const TIMEOUT = 'Give every call a time limit of a few seconds, so that no user waits for a dead connection.'
const NO_REDIRECT = 'Follow no redirect: it would carry credentials to another server.'

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const PAGE =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

/** Ways in which any server-to-server call can fail. */
export const SERVER_FAILURES: readonly OutcomeRow[] = OUTCOME_FLOWS.filter(isServerFlow).flatMap(
  (flow): OutcomeRow[] => [
    replyInstead(flow)('500', {
      family: 'failure',
      summary: '500 with an OAuth error body.',
      rule: STATUS,
      apply: (reply) => ({
        ...withJson(reply, { error: 'server_error', error_description: 'the service failed unexpectedly' }),
        status: 500,
      }),
    }),
    replyInstead(flow)('502_html', {
      family: 'failure',
      summary: '502 with the HTML page of a gateway.',
      rule: `${STATUS} ${JSON_ONLY}`,
      apply: (reply) => ({ ...withHeaders(withText(reply, PAGE), HTML), status: 502 }),
    }),
    replyInstead(flow)('503', {
      family: 'failure',
      summary: '503 with Retry-After: 30 and no body.',
      rule: `${STATUS} ${RETRY}`,
      apply: (reply) => ({ ...withHeaders(withoutBody(reply), { 'Retry-After': '30' }), status: 503 }),
    }),
    replyInstead(flow)('429', {
      family: 'failure',
      summary: '429, too many requests, with Retry-After: 30 and no body.',
      rule: RETRY,
      apply: (reply) => ({ ...withHeaders(withoutBody(reply), { 'Retry-After': '30' }), status: 429 }),
    }),
    replyInstead(flow)('400_empty', {
      family: 'failure',
      summary: '400 without a body.',
      rule: JSON_ONLY,
      apply: (reply) => ({ ...withoutBody(reply), status: 400 }),
    }),
    replyInstead(flow)('html', {
      family: 'failure',
      summary: '200 with an HTML page, as a captive portal answers.',
      rule: JSON_ONLY,
      apply: (reply) => withHeaders(withText(reply, PAGE), HTML),
    }),
    replyInstead(flow)('redirect', {
      family: 'redirect',
      summary: '307 to a trap of the sandbox.',
      rule: NO_REDIRECT,
      apply: (reply, { createTrap }) => ({
        ...reply,
        body: { kind: 'redirect', location: createTrap() },
        status: 307,
      }),
    }),
    replyInstead(flow)('dropped', {
      family: 'connection',
      summary: 'The connection breaks before the service has done anything.',
      rule: 'A broken connection is an error to handle: try once more, then give up.',
      apply: (reply) => ({ ...reply, dropped: true }),
    }),
    changedReply(flow)('empty_body', {
      family: 'failure',
      summary: 'The right status, and no body.',
      rule: JSON_ONLY,
      apply: (reply) => withoutBody(reply),
    }),
    changedReply(flow)('truncated', {
      family: 'failure',
      summary: 'The right status, and a body that ends in the middle.',
      rule: JSON_ONLY,
      apply: (reply) => ({ ...reply, body: { kind: 'truncated', body: reply.body } }),
    }),
    changedReply(flow)('slow', {
      family: 'connection',
      correctClient: 'depends',
      summary: 'The right reply, after 30 seconds.',
      rule: TIMEOUT,
      apply: (reply) => ({ ...reply, delayMs: 30_000 }),
    }),
  ],
)
