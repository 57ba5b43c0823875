import { explainName } from '../../client/explain-name.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { visible } from '../../files/visible.ts'
import { isFlowId } from '../../sandbox/journal/journal.ts'
import { READINGS } from '../../sandbox/readings/readings.ts'
import { didYouMean, quote } from '../../text/message-parts.ts'
import { baseUrlFor, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { paint, print } from '../terminal.ts'
import { listReadings, readingsNamed } from './readings.ts'

interface ExplainOptions extends SandboxAddress {
  readonly json?: boolean
}

/**
 * Explains a rule, an outcome, a reading, or a flow of a running sandbox.
 * @param name a rule id, an outcome, a reading, `readings` for all of them, a flow id, or the address of the page of a flow
 * @throws ConfigError with near misses, for a name of none of them
 */
export async function explain(name: string, flags: Texts, options: ExplainOptions): Promise<void> {
  const readings = readingsNamed(name)
  if (readings.length > 0) return listReadings(readings, options)
  const flow = flowIn(name)
  if (flow === undefined) return explainNamed(name, flags, options)
  const { printFlow } = await import('./explain-flow.ts')
  await printFlow(flow.id, flags, { ...options, ...(flow.url === undefined ? {} : { url: flow.url }) })
}

/** Explains an outcome. @throws ConfigError for a name that is none */
export async function showOutcome(name: string, flags: Texts, options: ExplainOptions): Promise<void> {
  await explainNamed(name, flags, { ...options, only: 'outcome' })
}

/** `f12`, or an address like `http://localhost:2435/t/qa/_sandbox/console/flows/f12` with the sandbox that it is in. */
function flowIn(text: string): { id: string; url?: string } | undefined {
  const word = text.toLowerCase()
  if (isFlowId(word)) return { id: word }
  const [, url = '', id = ''] = /^(https?:\/\/.+)\/_sandbox\/(?:console\/)?flows\/(f\d+)(?:[/?#].*)?$/i.exec(text) ?? []
  return isFlowId(id) ? { id, url } : undefined
}

async function explainNamed(
  name: string,
  flags: Texts,
  { json = false, only, ...address }: ExplainOptions & { only?: 'outcome' },
): Promise<void> {
  const explained = explainName(name, { baseUrl: await baseUrlFor(flags, address) })
  if (explained.kind === 'unknown') {
    const reading =
      explained.suggestions.length === 0
        ? didYouMean(
            name,
            READINGS.map((one) => one.name),
          )
        : ''
    const message = `there is no rule, no outcome and no reading ${quote(name)}.${reading}`
    throw ConfigError.of(reading === '' ? explained.message : message)
  }
  if (only !== undefined && explained.kind !== only)
    throw ConfigError.of(
      `${explained.name} is a rule, not an outcome; agekey-sandbox explain ${explained.name} explains it`,
    )
  const { lines, ...data } = explained
  if (json) return print(JSON.stringify(data, undefined, 2))
  const [first = '', ...rest] = lines
  print(paint('bold', visible(first)))
  for (const line of rest) print(visible(line))
}
