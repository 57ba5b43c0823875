import type { Claims } from '../../age/claims.ts'
import type { Fields } from '../../http/form.ts'
import { inPersonaOrder, type Persona } from '../../sandbox/personas/persona-schema.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { flipsOf, selectAnswers } from './answer-table.ts'
import { answersOf } from './answers.ts'
import { type Change, changesOf } from './changes.ts'
import { copiesOf } from './copies.ts'
import { type AnsweredClaims, renderPlayground } from './playground-page.ts'
import { formatClaims, type Pasted, readPasted } from './read-pasted.ts'

/**
 * `console/playground`: the answers of every persona to claims, and the effect of one changed filter. The query holds everything, so that
 * a URL can be shared: `claims`, `before` (to compare with), `change` (a label of `changesOf`), `persona` (to copy).
 */
export const playgroundPage: ConsoleRoute = {
  name: 'playground',
  async render({ tenant, frame, host, fields }) {
    const asked = readQuestion(fields, tenant)
    const { text, claims, findings } = asked.pasted
    if (!claims) return renderPlayground(frame, { text, findings, before: fields['before'] })
    const answered = await answer({ claims, before: asked.before }, { tenant, host, fields })
    return renderPlayground(frame, { text, findings, before: JSON.stringify(claims), answered })
  },
}

interface Question {
  readonly pasted: Pasted
  readonly before?: Claims | undefined
}

function readQuestion({ claims: given, before: compared, change: label }: Fields, tenant: Tenant): Question {
  const { provider, clock } = tenant
  const pasted = readPasted(given ?? exampleClaims(clock.now()), provider)
  const before = compared === undefined || compared === given ? undefined : readPasted(compared, provider).claims
  if (!pasted.claims) return { pasted, before }
  if (label === 'back' && before) return { pasted: shown(before), before: pasted.claims }
  const change = label === undefined ? undefined : findChange(label, pasted.claims, clock.now())
  return change ? { pasted: shown(change.claims), before: pasted.claims } : { pasted, before }
}

const findChange = (label: string, claims: Claims, now: number): Change | undefined =>
  changesOf(claims, now).find((change) => change.label === label)

const shown = (claims: Claims): Pasted => ({ text: formatClaims(claims), claims, findings: [] })

/** Usual thresholds, and two filters that some personas do not pass. */
const exampleClaims = (now: number): string =>
  formatClaims({
    age_thresholds: [13, 16, 18, 21],
    verified_after: new Date(now - 730 * 86_400_000).toISOString().slice(0, 10),
    overrides: { facial_age_estimation: { min_age: 25 } },
  })

async function answer(
  { claims, before }: { claims: Claims; before: Claims | undefined },
  { tenant, host, fields }: Pick<ConsoleCall, 'tenant' | 'host' | 'fields'>,
): Promise<AnsweredClaims> {
  const { personas, clock, provider } = tenant
  const now = clock.now()
  const all = inPersonaOrder(await personas.list())
  const holders = all.map((persona) => {
    const ageKey = personas.resolved(persona).age_key
    return { name: persona.name, title: persona.title, ...(ageKey && { signals: ageKey.signals }) }
  })
  const changes = changesOf(claims, now)
  const { answers, effects, compared } = await answersOf(holders, { claims, before, changes, now })
  const copied = personaToCopy(all, fields['persona'])
  const copies =
    copied &&
    (await copiesOf({
      claims,
      persona: copied,
      answers: answers.find(({ name }) => name === copied.name)?.answers,
      baseUrl: provider.baseUrl,
      client: host.shownClient,
    }))
  const filter = { q: fields['q'] ?? '', answers: fields['answers'] ?? '', after: fields['after'] }
  return {
    table: selectAnswers(answers, { thresholds: claims.age_thresholds, filter }),
    changed: before && answers.filter((one) => flipsOf(one).length > 0),
    effects,
    compared,
    ...(copied && copies && { copied: { persona: copied.name, copies } }),
  }
}

/** The named persona, or the first: personas may have been removed. */
const personaToCopy = (all: readonly Persona[], name: string | undefined): Persona | undefined =>
  all.find((persona) => persona.name === name) ?? all[0]
