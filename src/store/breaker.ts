/** Calls a service that may stop answering. Only one call waits for the answer that does not come: then the breaker is open. */
export interface Breaker {
  /** @throws Error at once while the breaker is open; otherwise what `act` throws */
  call<Result>(act: () => Promise<Result>): Promise<Result>
  /** Closes the breaker: calls are answered again. */
  close(): void
}

export interface BreakerOptions {
  /** How long an answer may take, in milliseconds. */
  readonly withinMs: number
  onOpen(): void
  onClose(): void
}

/** The first call without an answer in time opens the breaker; a late answer, or `close`, closes it. */
export function createBreaker({ withinMs, onOpen, onClose }: BreakerOptions): Breaker {
  let isOpen = false
  const silence = () => new Error(`no answer within ${withinMs / 1000} seconds`)
  const close = () => {
    if (isOpen) onClose()
    isOpen = false
  }
  const open = () => {
    if (!isOpen) onOpen()
    isOpen = true
  }
  return {
    close,
    call(act) {
      if (isOpen) return Promise.reject(silence())
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          open()
          reject(silence())
        }, withinMs)
        act()
          .then((result) => {
            close()
            resolve(result)
          }, reject)
          .finally(() => clearTimeout(timer))
      })
    },
  }
}
