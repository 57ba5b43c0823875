import * as z from 'zod'
import type { Tables } from '../tenants/tables.ts'

const answerSchema = z.object({ state: z.string(), nonce: z.string(), idToken: z.string() })

/** What an attacker can replay: the good answer of a Use flow that is over. */
export type ReplayableAnswer = Readonly<z.infer<typeof answerSchema>>

/** The last answer of a client, and the last one before it that shares neither `state` nor `nonce` with it. */
const recordSchema = z.object({ last: answerSchema, other: answerSchema.optional() })

/** The good answers of one tenant that the outcomes `replayed` and `of_earlier_flow` send once more. */
export interface ReplayableAnswers {
  keep(clientId: string, answer: ReplayableAnswer): Promise<void>
  /** The last answer that shares neither `state` nor `nonce` with this request: sent again, any other could be right. */
  find(request: { clientId: string; state: string; nonce: string }): Promise<ReplayableAnswer | undefined>
}

const TABLE = 'replayable_answer'

export function createReplayableAnswers(tables: Tables): ReplayableAnswers {
  return {
    async keep(clientId, answer) {
      await tables.update(TABLE, clientId, (value) => {
        const known = recordSchema.safeParse(value).data
        const other = known && (isUnlike(known.last, answer) ? known.last : known.other)
        return { last: answer, ...(other ? { other } : {}) }
      })
    },
    async find({ clientId, ...request }) {
      const known = recordSchema.safeParse(await tables.get(TABLE, clientId)).data
      return [known?.last, known?.other].find((answer) => answer && isUnlike(answer, request))
    },
  }
}

const isUnlike = (
  one: Pick<ReplayableAnswer, 'state' | 'nonce'>,
  other: Pick<ReplayableAnswer, 'state' | 'nonce'>,
): boolean => one.state !== other.state && one.nonce !== other.nonce
