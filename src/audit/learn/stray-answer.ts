import type { Driver, FlowRun } from '../drive/driver.ts'
import type { AppProfile } from './app-profile.ts'
import { type Observation, observe } from './observation.ts'
import type { ObservedClass } from './signature.ts'

/** An answer that no request of the browser asked for. */
interface StrayAnswer {
  /** The callback of the app. */
  readonly url: string
  readonly responseMode: AppProfile['responseMode']
  readonly answer: Readonly<Record<string, string>>
}

const STATE = { state: 'audit-stray-answer' }

/** What the app shows for an answer to Use that its browser did not ask for, and for none at all. */
export async function strayUse(
  { request }: FlowRun,
  { responseMode }: Pick<AppProfile, 'responseMode'>,
  driver: Driver,
): Promise<readonly ObservedClass[]> {
  const url = request?.parameters['redirect_uri'] ?? ''
  const stray = classOf(
    await bring({ url, responseMode, answer: { ...STATE, id_token: 'audit.stray.answer' } }, driver),
  )
  return [
    stray,
    // Where the answer is in the fragment the app may show a page that reads it.
    classOf(
      await bring({ url, responseMode: responseMode === 'fragment' ? responseMode : 'query', answer: {} }, driver),
    ),
  ]
}

/** What the app shows for an answer to Create that its browser did not ask for; nothing when the run brought it none. */
export async function strayCreate({ visit: { hops } }: FlowRun, driver: Driver): Promise<readonly ObservedClass[]> {
  const asked = hops.findIndex(({ endpoint }) => endpoint === 'E3')
  const callback = hops.slice(asked + 1).find(({ isCallback }) => isCallback)
  if (asked < 0 || !callback) return []
  const { origin, pathname } = new URL(callback.url)
  return [classOf(await bring({ url: `${origin}${pathname}`, responseMode: 'query', answer: STATE }, driver))]
}

const classOf = (observation: Observation): ObservedClass => ({ label: 'a stray answer', observations: [observation] })

async function bring(stray: StrayAnswer, driver: Driver): Promise<Observation> {
  const observation = observe(await open(stray, driver))
  // Parameters of the address are those of the answer.
  const features = new Set([...observation.features].filter((feature) => !feature.startsWith('with ')))
  return { ...observation, features }
}

async function open({ url: callback, responseMode, answer }: StrayAnswer, driver: Driver) {
  const url = new URL(callback)
  const browser = await driver.newBrowser()
  if (responseMode === 'form_post') {
    return driver.open({ url: url.href, method: 'POST', form: answer, isCrossSite: true }, browser)
  }
  if (responseMode === 'fragment') url.hash = new URLSearchParams(answer).toString()
  else for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value)
  return driver.open({ url: url.href, isAnswer: responseMode === 'fragment' }, browser)
}
