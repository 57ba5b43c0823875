import type { BrowserClient } from '../support/browser-client.ts'
import { textOf } from '../support/markup.ts'

export const DEMO = '/_sandbox/demo'

/** The journeys of a visitor through the demo of the sandbox at `baseUrl`. */
export function journeysOf(browser: BrowserClient, baseUrl: string) {
  const below = (url: string) => url.replace(baseUrl, '')
  /** Follows redirects within the sandbox to the page at their end. */
  const follow = async (url: string): Promise<string> => {
    const answer = await browser.get(below(url))
    const next = answer.headers.location
    return next === undefined ? textOf(answer.text) : follow(new URL(next, baseUrl).href)
  }
  const decided = (url: string, choices: Readonly<Record<string, string>>) => {
    const address = new URL(url, baseUrl)
    for (const [name, value] of Object.entries(choices)) address.searchParams.set(name, value)
    return follow(address.href)
  }
  const start = async (path: string, fields: Readonly<Record<string, string>>) =>
    (await browser.submit(`${DEMO}/${path}`, fields)).headers.location ?? ''
  return {
    follow,
    /** A Use flow in mode `query`, decided by query parameters, to the page of its result. */
    async use(choices: Readonly<Record<string, string>>, fields: Readonly<Record<string, string>> = {}) {
      const usual = {
        claims: '{"age_thresholds":[13,18]}',
        response_mode: 'query',
        can_create: 'true',
        upgrade: 'true',
      }
      return decided(await start('use', { ...usual, ...fields }), choices)
    },
    async create(choices: Readonly<Record<string, string>>, dateOfBirth = '2000-02-29') {
      return decided(await start('create', { date_of_birth: dateOfBirth }), choices)
    },
    async upgrade(dateOfBirth = '2000-02-29') {
      return follow(new URL(await start('upgrade', { date_of_birth: dateOfBirth }), baseUrl).href)
    },
  }
}
