import * as z from 'zod'
import { callRecordSchema } from '../../../sandbox/journal/call-record.ts'
import { FLOW_STATUSES } from '../../../sandbox/journal/explain-flow.ts'
import {
  isFlowId,
  MAX_FLOW_CALLS,
  MAX_FLOW_CHARACTERS,
  NONE_ENDED,
} from '../../../sandbox/journal/journal.ts'
import { thresholdTraceSchema } from '../../../service/age/trace.ts'
import { echoedText } from '../../../service/oidc/request/echoed.ts'
import { mustBe } from '../../../service/text/schema-problems.ts'
import { byId, instant, limit, type Operation, READ, waitSeconds } from './operation.ts'
import { RECORDING_NAMES } from './recording-formats.ts'

const flowKind = z.enum(['use', 'create', 'upgrade'])
const flowStatus = z.enum(FLOW_STATUSES)
const text = z.string().optional()
const sentences = z.array(z.string()).optional()
const texts = z.array(z.string()).readonly().optional()

const callSchema = callRecordSchema.extend({
  at: instant,
  response: z
    .unknown()
    .describe(
      'Where a redirect leads, the title of a page with the fields of its form, or the body',
    ),
})

export const flowSchema = z
  .object({
    id: z.string().describe('f12. They count from f1 in each tenant, whatever is reset'),
    tenant: z.string(),
    flow: flowKind,
    client_id: text,
    state: text,
    persona: text,
    outcome: text,
    decided_by: text.describe(
      'What named the persona and the outcome: a query parameter, a header, an expectation, a cookie, a default',
    ),
    readings: texts.describe(
      'How the service read what the specification leaves open, where not as usual: refused_token_status=403',
    ),
    audit: z.literal(true).optional().describe('The flow is one of an audit'),
    status: flowStatus.describe(
      'waiting: for the user. declined: by the user. error: a call was refused or dropped, or the callback carries another error. ok: the rest',
    ),
    summary: z
      .string()
      .describe('One sentence: the first broken rule, else the refusal, else the answer'),
    reasons: sentences.describe(
      'What decided, then a line for each threshold and signal; only of a single flow',
    ),
    next_steps: sentences.describe(
      'What a correct client does after its last call, a sentence each; only of a single flow',
    ),
    started_at: instant,
    ended_at: instant.optional(),
    age_thresholds: z
      .record(z.string(), z.boolean())
      .optional()
      .describe('What the id_token says, by threshold'),
    trace: z
      .array(thresholdTraceSchema)
      .optional()
      .describe('Why; only of a flow whose age key was evaluated'),
    dropped_calls: z
      .int()
      .optional()
      .describe(
        `How many calls of its beginning are kept no longer: a flow keeps the last ${MAX_FLOW_CALLS}, and about ${MAX_FLOW_CHARACTERS} characters`,
      ),
    calls: z.array(callSchema),
  })
  .meta({ id: 'Flow' })

/** The default of `limit`. */
export const DEFAULT_LISTED = 50

const flowId = z.string().refine(isFlowId, mustBe('the id of a flow, for example f12')).optional()

const flowQuery = z.strictObject({
  flow: flowKind.optional(),
  client_id: echoedText.optional(),
  state: echoedText.optional(),
  persona: echoedText.optional(),
  outcome: echoedText.optional(),
  status: flowStatus.optional(),
  audit: z
    .enum(['also', 'only'])
    .optional()
    .describe('Flows of audits: also or only these; left out when absent'),
  q: echoedText
    .optional()
    .describe('Free text: flows of which each word stands somewhere, in whatever case'),
  after: flowId.describe('The id of a flow: only flows that began after it'),
  before: flowId.describe(
    'The id of a flow: only flows that began before this flow; also the `next` of the previous page',
  ),
  since: z
    .string()
    .refine(
      (text) => text === 'now' || text === NONE_ENDED || isFlowId(text),
      mustBe(`the id of a flow, for example f12, ${NONE_ENDED} or now`),
    )
    .optional()
    .describe(
      `Only flows that ended after this one did, in the order in which they ended; ${NONE_ENDED}: all; now: after this call came`,
    ),
  limit: limit
    .optional()
    .describe(
      `Maximum number of flows (default ${DEFAULT_LISTED}), the newest flows; with since the flows that ended first`,
    ),
  wait: waitSeconds.describe('Seconds to wait until an ended flow matches'),
})

const recordingName = z.enum(RECORDING_NAMES)

export const flowOperations = {
  listFlows: {
    ...READ,
    path: '/flows',
    summary:
      'The journal, newest first and without traces; with wait only ended flows, as soon as there is one',
    query: flowQuery,
    result: z.object({
      flows: z.array(flowSchema),
      next: z
        .string()
        .optional()
        .describe('For before, with since for since, to read on; absent when there are no more'),
      last_ended: z
        .string()
        .describe(`The flow that ended last, for since; ${NONE_ENDED} when none has ended`),
    }),
  },
  getFlow: {
    ...READ,
    path: '/flows/:id',
    summary:
      'One flow with all its calls, its trace, the reasons of its answer and what a client does next; with as a file of that format',
    params: byId,
    query: z.strictObject({
      as: recordingName.optional().describe('Answers a file: a test, a scenario, a HAR'),
    }),
    result: flowSchema,
    sendsFile: true,
  },
  exportFlow: {
    ...READ,
    path: '/flows/:id/as/:as',
    summary: 'One flow as a file, within JSON: what GET flows/ID?as=... answers as it is',
    params: byId.extend({ as: recordingName }),
    result: z.object({
      file_name: z.string().describe('f12.test.ts'),
      media_type: z.string(),
      text: z.string(),
    }),
  },
  streamEvents: {
    ...READ,
    path: '/events',
    summary:
      'Server-sent events: call, flow, scenario, reset; id is the id of the flow (of the scenario), flow its kind, null without one',
    result: z.string(),
    mediaType: 'text/event-stream',
  },
} as const satisfies Record<string, Operation>
