import * as z from 'zod'
import { mustBe } from '../../files/describe-issue.ts'

/** One call of the control API as data: the server, the library, the OpenAPI document and the tests derive from it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Below `/_sandbox`, in the syntax of Express: `/personas/:name`. */
  readonly path: string
  readonly summary: string
  /** The named parts of the path; `NONE` when it has none. */
  readonly params: z.ZodType
  /** `NONE` when the call has no parameters. */
  readonly query: z.ZodType
  /** `NONE` when the call takes no body. */
  readonly body: z.ZodType
  /** What a success answers; `NONE` for an empty body. */
  readonly result: z.ZodType
  readonly mediaType: 'application/json' | 'text/html' | 'text/event-stream'
  /** The statuses of a success. */
  readonly statuses: readonly number[]
  /** Whether a form of the sandbox's own pages may send the call; then a page answers it. */
  readonly acceptsForm: boolean
  /** Whether the call needs no control token. */
  readonly isOpen: boolean
}

/** In an operation: no named parts of the path, no query, no body, no result. */
export const NONE = z.undefined()

/** What most operations have in common; each spreads it and says what differs. */
export const CALL = {
  params: NONE,
  query: NONE,
  body: NONE,
  result: NONE,
  mediaType: 'application/json',
  statuses: [200],
  acceptsForm: false,
  isOpen: false,
} as const

/** What calls that only read have in common. */
export const READ = { ...CALL, method: 'get' } as const
/** What calls that remove something have in common. */
export const REMOVAL = { ...CALL, method: 'delete', statuses: [204] } as const

export const byName = z.object({ name: z.string() })
export const byId = z.object({ id: z.string() })

export const instant = z.string().describe('ISO 8601 date-time in UTC')

/** Seconds that a long poll may wait. */
export const MAX_WAIT_SECONDS = 60

export const waitSeconds = z.coerce
  .number<string | number>(mustBe(`a number of seconds from 0 to ${MAX_WAIT_SECONDS}`))
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .optional()

/** The body of every refusal. */
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
