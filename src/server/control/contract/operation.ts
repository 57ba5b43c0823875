import * as z from 'zod'
import { JOURNAL_BUDGET } from '../../../sandbox/journal/journal.ts'
import { mustBe } from '../../../service/text/schema-problems.ts'

/**
 * One operation of the control API as data. Server, library, OpenAPI document and tests are derived
 * from it.
 */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Below `/_sandbox`, in the syntax of Express: `/personas/:name`. */
  readonly path: string
  readonly summary: string
  readonly params: z.ZodType
  readonly query: z.ZodType
  readonly body: z.ZodType
  readonly result: z.ZodType
  readonly mediaType: 'application/json' | 'text/html' | 'text/event-stream'
  readonly statuses: readonly number[]
  /** Whether a form on a page of the sandbox may send the call. The answer is then a page. */
  readonly acceptsForm: boolean
  /** Whether the body may be YAML too. */
  readonly acceptsYaml: boolean
  /** Whether the answer may be a file of another media type. */
  readonly sendsFile: boolean
  /** Whether the call needs no control token. */
  readonly isOpen: boolean
}

/** For an operation without params, query, body or result. */
export const NONE = z.undefined()

/** Defaults of an operation. Each operation overrides what differs. */
const CALL = {
  params: NONE,
  query: NONE,
  body: NONE,
  result: NONE,
  mediaType: 'application/json',
  statuses: [200],
  acceptsForm: false,
  acceptsYaml: false,
  sendsFile: false,
  isOpen: false,
} as const

export const READ = { ...CALL, method: 'get' } as const
export const POST = { ...CALL, method: 'post' } as const
export const PUT = { ...CALL, method: 'put' } as const
export const REMOVAL = { ...CALL, method: 'delete', statuses: [204] } as const

export const byName = z.object({ name: z.string() })
export const byId = z.object({ id: z.string() })

export const instant = z.string().describe('ISO 8601 date-time in UTC')

/** Maximum number of items in one answer: as many flows as the journal keeps. */
export const MAX_LISTED = JOURNAL_BUDGET.maxFlows
const isLimit = { error: `must be a whole number from 1 to ${MAX_LISTED}` }

export const limit = z.coerce
  .number<string | number>(isLimit)
  .int(isLimit)
  .min(1, isLimit)
  .max(MAX_LISTED, isLimit)

export const listQuery = z.strictObject({
  limit: limit.optional().describe(`Maximum number of items (default ${MAX_LISTED})`),
  after: z.string().optional().describe('Cursor: the `next` of the previous page'),
})

export const next = z
  .string()
  .optional()
  .describe('For after, to read on; absent when there are no more')

const MAX_WAIT_SECONDS = 60

export const waitSeconds = z.coerce
  .number<string | number>(mustBe(`a number of seconds from 0 to ${MAX_WAIT_SECONDS}`))
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .optional()

export const errorSchema = z
  .object({
    error: z.string(),
    error_description: z.string(),
    findings: z
      .array(
        z.object({
          rule: z.string(),
          level: z.enum(['error', 'advice']),
          path: z.string(),
          message: z.string(),
          hint: z.string(),
        }),
      )
      .optional(),
    suggestions: z.array(z.string()).optional(),
  })
  .meta({ id: 'Error' })
