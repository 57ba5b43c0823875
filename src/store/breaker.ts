/** Calls something that may stop answering, and waits for it only once. */
export interface Breaker {
  /** @throws Error at once while nobody answers; otherwise what `act` throws */
  call<Result>(act: () => Promise<Result>): Promise<Result>
  /** Says that calls are answered again. */
  close(): void
}

export interface BreakerOptions {
  /** How long an answer may take, in milliseconds. */
  readonly withinMs: number
  onOpen(): void
  onClose(): void
}

/** After the first call that is not answered in time, all others are refused at once until that one is answered late, or `close`. */
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
