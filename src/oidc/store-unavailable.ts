/** A store that cannot be asked now. Nothing is known to have been changed, and the call may be made again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}
