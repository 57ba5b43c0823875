import { json } from '../http/reply.ts'
import type { Handler } from '../http/route.ts'

/**
 * Where a spoiled id_token points with `jku` or `x5u`. Whoever fetches it trusts an address out of a token that nobody has
 * verified; the fetch is told as a `call` event with endpoint `trap`.
 */
export const createTrapRoute = (): Handler => () => ({ reply: json(200, { keys: [] }) })
