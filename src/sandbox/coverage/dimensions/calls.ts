import { findOutcome } from '../../outcomes/catalogue.ts'
import { CALLED, type Called } from '../counters.ts'
import type { CoverageItem } from '../coverage.ts'
import { byOutcome, createItem, type Described, type GapClosing } from './item.ts'
import type { SeenFlows } from './seen-flows.ts'

interface CallFacts {
  readonly title: string
  /** The outcome that refuses the call; E6 refuses none. */
  readonly refusal?: string
}

const CALLS: Readonly<Record<Called, CallFacts>> = {
  par: { title: 'E2: push a Create request', refusal: 'par.400' },
  token: { title: 'E4: exchange a code', refusal: 'token.code_expired' },
  upgrade: { title: 'E5: upgrade the age key', refusal: 'upgrade.token_expired' },
  discovery: { title: 'E6: read discovery' },
  jwks: { title: 'E6: read the key set' },
}

/** Each endpoint that the app's server calls: success, refusal, failure and timeout. */
export const callItems = ({ counters }: Described, flows: SeenFlows): CoverageItem[] =>
  CALLED.filter((called) => flows.uses(called)).map((called) => {
    const { title, refusal } = CALLS[called]
    const force = (name: string) => () => closingBy(called, name)
    const success = () => ({ closes: `let the service answer ${title}, without an outcome` })
    return createItem({
      id: called,
      title,
      flow: called,
      seen: counters.calls[called],
      sides: {
        success,
        ...(refusal === undefined ? {} : { refusal: force(refusal) }),
        failure: force(`${called}.500`),
        timeout: force(`${called}.slow`),
      },
    })
  })

function closingBy(called: Called, name: string): GapClosing {
  const row = findOutcome(called, name)
  if (!row) throw new Error(`the catalogue has no outcome ${name}`)
  return byOutcome(row)
}
