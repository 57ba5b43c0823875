/** What is about to be sent, as data: the only function that sends it is in `http/reply.ts`. */
export interface ServerReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds to wait before it is sent. */
  readonly delayMs?: number
  /** Nothing is sent: the connection is closed. */
  readonly dropped?: true
}
