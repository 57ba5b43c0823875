/** The body of a reply as data: it becomes text only when it is sent. */
export type ReplyBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Only the first half of `body` is sent. */
  | { readonly kind: 'truncated'; readonly body: ReplyBody }

/** The reply to a server-to-server call, as data: the only function that sends it is in `http/reply.ts`. */
export interface ServerReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
  /** Milliseconds to wait before it is sent. */
  readonly delayMs?: number
  /** Nothing is sent: the connection is closed. */
  readonly dropped?: true
}
