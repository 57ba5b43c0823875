import supertest from 'supertest'

export type BrowserClient = ReturnType<typeof createBrowserClient>

/**
 * A browser without scripts, as far as a session goes: it keeps cookies, and a form is sent from the page's own origin.
 * @param origin of the pages, when a proxy stands before the server at `url`.
 */
export function createBrowserClient(url: string, origin = url) {
  const agent = supertest.agent(url).set('Accept', 'text/html')
  return {
    get: async (path: string) => agent.get(path),
    submit: async (path: string, fields: Readonly<Record<string, string>>) =>
      agent.post(path).set({ Origin: origin, 'Sec-Fetch-Site': 'same-origin' }).type('form').send(fields),
  }
}
