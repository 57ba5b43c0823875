import type { Callback } from '../../oidc/callback.ts'
import { DEFAULT_DECISIONS, type Decisions } from '../../oidc/decisions.ts'
import type { Seams } from '../../oidc/seams.ts'
import type { OutcomeRow } from '../outcomes/outcome-row.ts'
import type { ServerFlow } from '../outcomes/reply-changes.ts'
import type { ServerReply } from '../outcomes/server-reply.ts'
import type { TamperTools } from '../outcomes/tamper-tools.ts'
import { type Answered, type Effect, type Readings, type ReplyChange, readingId } from './reading.ts'
import { findVariant, READINGS } from './readings.ts'

/** The readings that hold for one call. */
export interface ActiveReadings {
  /** Those that are not the default, as the journal has them: `par_status=200`. */
  readonly ids: readonly string[] | undefined
  readonly decisions: Decisions
  /** What changes answers; empty when nothing does. */
  readonly effects: readonly Effect[]
}

export const NO_READINGS: ActiveReadings = { ids: undefined, decisions: DEFAULT_DECISIONS, effects: [] }

/** Makes readings take effect. Names that the table does not have are left out: a later version may have kept them. */
export function activate(readings: Readings): ActiveReadings {
  const active = READINGS.flatMap((reading) => {
    const variant = findVariant(reading, readings[reading.name] ?? '')
    return variant?.effect ? [{ id: readingId(reading.name, variant.name), effect: variant.effect }] : []
  })
  if (active.length === 0) return NO_READINGS
  const effects = active.map(({ effect }) => effect)
  return {
    ids: active.map(({ id }) => id),
    decisions: Object.assign({}, DEFAULT_DECISIONS, ...effects.map(({ decisions }) => decisions)),
    effects: effects.filter(({ rows, claims, callback, replies }) => rows ?? claims ?? callback ?? replies),
  }
}

/** The seams that change the honest answer of an authorization request. */
export const seamsOfReadings = (
  { effects }: ActiveReadings,
  { tools, ...answered }: Answered & { readonly tools: TamperTools },
): Seams => {
  const callback: Seams['callback'] = (honest) => changeCallback(honest, { ...answered, readings: { effects } })
  return {
    claims: (honest) =>
      effects.reduce((changed, effect) => {
        const byRows = rowsOf(effect, 'claims').reduce((claims, row) => row.apply(claims, tools), changed)
        return effect.claims?.(byRows, tools) ?? byRows
      }, honest),
    async token(honest) {
      let changed = honest
      for (const effect of effects) {
        for (const row of rowsOf(effect, 'token')) changed = await row.apply(changed, tools)
      }
      return changed
    },
    callback,
    refusal: callback,
  }
}

/** Changes the honest callback of an authorization request. */
export const changeCallback = (
  honest: Callback,
  { readings, ...answered }: Answered & { readonly readings: Pick<ActiveReadings, 'effects'> },
): Callback => readings.effects.reduce((changed, effect) => effect.callback?.(changed, answered) ?? changed, honest)

/** Changes the honest reply to a server-to-server call. */
export async function changeReply(
  reply: ServerReply,
  { effects }: ActiveReadings,
  { flow, tools }: { flow: ServerFlow; tools: TamperTools },
): Promise<ServerReply> {
  let changed = reply
  for (const effect of effects)
    for (const change of replyChangesOf(effect, flow)) changed = await change(changed, tools)
  return changed
}

function replyChangesOf(effect: Effect, flow: ServerFlow): readonly ReplyChange[] {
  const own = effect.replies?.[flow]
  const ofRows = rowsOf(effect, 'reply').flatMap((row) => (row.flow === flow && row.apply ? [row.apply] : []))
  return own ? [...ofRows, own] : ofRows
}

const rowsOf = <Seam extends OutcomeRow['seam']>({ rows = [] }: Effect, seam: Seam) =>
  rows.filter((row): row is Extract<OutcomeRow, { seam: Seam }> => row.seam === seam)
