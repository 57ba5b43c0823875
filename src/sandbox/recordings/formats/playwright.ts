import type { Recording } from '../recording.ts'
import { recordingTitle } from './file-heading.ts'
import { bodyText, clientText, commentLines, optionsText, quoted } from './javascript.ts'
import { HELPERS } from './javascript-helpers.ts'

/** A flow as a test file for Playwright, with a sandbox of its own in each worker. */
export function playwrightText(recording: Recording): string {
  const heading = commentLines(recording, [
    `Run it: npx playwright test ${recording.flow.id}.spec.ts`,
    'It sends the requests of the flow itself; with your app, open its pages by the fixture page in their place.',
  ])
  return `${heading}import { type APIRequestContext, test as base, expect } from '@playwright/test'
import { type SandboxFixtures, type SandboxWorkerFixtures, sandboxFixtures } from 'agekey-sandbox/playwright'

${clientText(recording)}
const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures(${optionsText(recording)}))

test(${quoted(recordingTitle(recording))}, async ({ sandbox, request }) => {
  const send = sender(request, sandbox.baseUrl)
${bodyText(recording)}})
${HELPERS}${SENDER}`
}

const SENDER = `
/** Sends requests as the browser or the server of the app would; a redirect is not followed. */
function sender(request: APIRequestContext, baseUrl: string) {
  return async (path: string, { query, accept, form, json, authorization }: Sent): Promise<Answer> => {
    const url = \`\${baseUrl}\${path}\${query ? \`?\${new URLSearchParams(query)}\` : ''}\`
    const body = json ? JSON.stringify(json) : form && String(new URLSearchParams(form))
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
    const received = await request.fetch(url, {
      maxRedirects: 0,
      headers: {
        ...(accept === undefined ? {} : { accept }),
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { method: 'POST', data: body }),
    })
    const { location = '' } = received.headers()
    return { status: received.status(), location, text: await received.text() }
  }
}
`
