import type { BrowserClient } from '../support/browser-client.ts'
import { textOf } from '../support/markup.ts'

export const DEMO = '/_sandbox/demo'
export const BIRTH = { date_of_birth: '2000-02-29' }
export type Fields = Readonly<Record<string, string>>

const USE = { claims: '{"age_thresholds":[13,18]}', response_mode: 'query', can_create: 'true', upgrade: 'true' }

/** The journeys of a visitor through the demo of the sandbox at `baseUrl`, each to the page at its end. */
export function journeysOf(browser: BrowserClient, baseUrl: string) {
  const follow = async (address: string): Promise<string> => {
    const { headers, text } = await browser.get(address.replace(baseUrl, ''))
    return headers.location === undefined ? textOf(text) : follow(new URL(headers.location, baseUrl).href)
  }
  /** Sends a form of the demo, and decides the flow that begins by query parameters. */
  const decided = async (path: string, fields: Fields, choices: Fields = {}) => {
    const { headers } = await browser.submit(`${DEMO}/${path}`, fields)
    const address = new URL(headers.location ?? '', baseUrl)
    for (const [name, value] of Object.entries(choices)) address.searchParams.set(name, value)
    return follow(address.href)
  }
  return {
    follow,
    use: (choices: Fields, fields: Fields = {}) => decided('use', { ...USE, ...fields }, choices),
    create: (choices: Fields, fields: Fields = BIRTH) => decided('create', fields, choices),
    upgrade: () => decided('upgrade', BIRTH),
  }
}
