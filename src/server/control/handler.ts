import type * as z from 'zod'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Cookie } from '../http/cookie.ts'
import type { HttpHost } from '../http/handler.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { StartStream } from '../http/reply.ts'
import type { Immutable, OperationId, OperationResult, Operations } from './contract/contract.ts'
import type { RecordedFile } from './contract/recording-formats.ts'

export interface ControlContext {
  readonly tenant: Tenant
  readonly host: HttpHost
  /** Whether a form on a page of the sandbox sent the call. The answer is then a page. */
  readonly isForm: boolean
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

/** The input of a handler, checked by the schemas of its operation. */
export interface ControlCall<Op extends OperationId> extends ControlContext {
  readonly params: z.output<Operations[Op]['params']>
  readonly query: z.output<Operations[Op]['query']>
  readonly body: z.output<Operations[Op]['body']>
}

/** The answer to a control call: at most one of body, page, stream and file. */
export interface ControlAnswer {
  readonly status: number
  readonly cookies?: readonly Cookie[]
  readonly body?: unknown
  readonly page?: RenderedPage
  readonly stream?: StartStream
  readonly file?: RecordedFile
}

export type AnswerOf<Op extends OperationId> = ControlAnswer & {
  readonly status: Operations[Op]['statuses'][number]
} & ContentOf<Op>

type ContentOf<Op extends OperationId> =
  | {
      'application/json': JsonContent<OperationResult<Op>>
      'text/html': PageContent
      'text/event-stream': { readonly stream: StartStream }
    }[Operations[Op]['mediaType']]
  | (Operations[Op]['acceptsForm'] extends true ? PageContent : never)
  | (Operations[Op]['sendsFile'] extends true ? { readonly file: RecordedFile } : never)

type JsonContent<Result> = [Result] extends [undefined]
  ? { readonly body?: never }
  : { readonly body: Immutable<Result> }
type PageContent = { readonly page: RenderedPage }

/** The handler of each operation. @throws Refusal */
export type Handlers = {
  readonly [Op in OperationId]: (call: ControlCall<Op>) => AnswerOf<Op> | Promise<AnswerOf<Op>>
}
