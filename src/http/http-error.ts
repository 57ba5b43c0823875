/** A request that HTTP itself answers: no such path, another method, a body that is too large. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly title: string
  readonly headers: Readonly<Record<string, string>>
  readonly restartHint: string | undefined

  constructor(
    status: number,
    {
      title,
      message,
      headers = {},
      restartHint,
    }: { title: string; message: string; headers?: Readonly<Record<string, string>>; restartHint?: string },
  ) {
    super(message)
    this.status = status
    this.title = title
    this.headers = headers
    this.restartHint = restartHint
  }
}
