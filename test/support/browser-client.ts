import supertest from 'supertest'
import type { Answer } from './http-client.ts'

/** A browser without scripts, as far as a session goes: it keeps cookies, and a form is sent from the page's own origin. */
export interface BrowserClient {
  get(path: string): Promise<Answer>
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<Answer>
}

/** @param origin of the pages, when a proxy stands before the server at `url`. */
export function createBrowserClient(url: string, origin = url): BrowserClient {
  const agent = supertest.agent(url).set('Accept', 'text/html')
  return {
    get: async (path) => agent.get(path),
    submit: async (path, fields) =>
      agent.post(path).set({ Origin: origin, 'Sec-Fetch-Site': 'same-origin' }).type('form').send(fields),
  }
}
