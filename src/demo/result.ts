import * as z from 'zod'
import { consolePathOf } from '../http/console-frame.ts'
import type { Handler } from '../http/route.ts'
import { noSession } from './callback.ts'
import { type Demo, demoFrame, demoReply } from './demo.ts'
import { isTrusted, type Journey, type Returned } from './journey.ts'
import { type DemoResultView, renderDemoResult } from './result-page.ts'

/** How the flow of this browser went. */
export const showResult =
  (demo: Demo): Handler =>
  (request, tenant) => {
    const journey = demo.sessions.find(request, tenant)
    if (!journey) throw noSession()
    const state = journey.flow === 'use' ? (journey.request['state'] ?? '') : journey.state
    const view: DemoResultView = {
      ...demoFrame(tenant, demo),
      flow: journey.flow,
      verdict: verdictOf(journey),
      request: journey.request,
      params: journey.returned?.params,
      checks: journey.returned?.checks ?? [],
      claims: journey.returned?.claims,
      answers: answersOf(journey.returned),
      exchanges: journey.exchanges,
      offers: offersOf(journey),
      flowsPath: `${consolePathOf(tenant)}/flows?${new URLSearchParams({ state }).toString()}`,
    }
    return { reply: demoReply(renderDemoResult(view), tenant) }
  }

function offersOf(journey: Journey): DemoResultView['offers'] {
  const { returned } = journey
  if (journey.flow === 'create' || !returned || !isTrusted(returned)) return { upgrade: false, create: false }
  const { code, create_requested: createRequested } = returned.params
  return { upgrade: code !== undefined && journey.exchanges.length === 0, create: createRequested === 'true' }
}

const answers = z.record(z.string(), z.boolean())

/** Nothing of a token is told before every check has passed. */
function answersOf(returned: Returned | undefined): DemoResultView['answers'] {
  if (!returned || !isTrusted(returned)) return []
  const { data = {} } = answers.safeParse(returned.claims?.['age_thresholds'])
  return Object.entries(data).map(([threshold, satisfied]) => ({ threshold, satisfied }))
}

type Verdict = DemoResultView['verdict']

function verdictOf(journey: Journey): Verdict {
  const { returned, exchanges } = journey
  if (!returned) return journey.request ? WAITING : REFUSED_PUSH
  if (!isTrusted(returned)) return DISTRUSTED
  const { error, error_description: description, create_requested: createRequested } = returned.params
  if (error !== undefined) return { title: `Came back with ${error}`, sentence: description ?? 'There is no result.' }
  if (journey.flow === 'create') return CREATED
  if (exchanges.length > 0)
    return exchanges.every(({ status }) => status === 200) && exchanges.length === 2 ? UPGRADED : NOT_UPGRADED
  if (createRequested === 'true') return CREATE_REQUESTED
  if (!returned.claims) return NO_TOKEN
  return answersOf(returned).some(({ satisfied }) => satisfied) ? VERIFIED : TOO_YOUNG
}

const WAITING: Verdict = {
  title: 'The visitor has not come back',
  sentence: 'The shop sent the browser away and waits for its callback.',
}
const REFUSED_PUSH: Verdict = {
  title: 'The Create request was refused',
  sentence: 'The answer below says what to correct.',
}
const DISTRUSTED: Verdict = {
  title: 'The shop does not trust this callback',
  sentence: 'A check failed, so nothing of what came back counts.',
}
const CREATED: Verdict = {
  title: 'The age key is saved',
  sentence: 'A Create callback without error is a success: nothing else comes back.',
}
const UPGRADED: Verdict = {
  title: 'The age key is upgraded',
  sentence: 'It holds the new age signal: verify the age again as the same persona to see it.',
}
const NOT_UPGRADED: Verdict = {
  title: 'The upgrade was refused',
  sentence: 'The answer below says what to correct.',
}
const CREATE_REQUESTED: Verdict = {
  title: 'The visitor wants an age key first',
  sentence: 'No id_token came: the shop verifies the age in another way, then starts Create.',
}
const VERIFIED: Verdict = {
  title: 'Verified',
  sentence: 'Every check passed, so the answers count.',
}
const TOO_YOUNG: Verdict = {
  title: 'Verified',
  sentence: 'Every check passed, so the answers count: the visitor reaches none of these ages.',
}
const NO_TOKEN: Verdict = {
  title: 'No id_token came',
  sentence: 'A callback without error brings an id_token: this one cannot be used.',
}
