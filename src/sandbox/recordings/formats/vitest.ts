import type { Recording } from '../recording.ts'
import { recordingTitle } from './file-heading.ts'
import { bodyText, clientText, commentLines, optionsText, quoted } from './javascript.ts'
import { HELPERS } from './javascript-helpers.ts'

/** A flow as a test file for Vitest, with a sandbox of its own. */
export function vitestText(recording: Recording): string {
  const heading = commentLines(recording, [`Run it: npx vitest run ${recording.flow.id}.test.ts`])
  return `${heading}import { setupSandbox } from 'agekey-sandbox/vitest'
import { expect, test } from 'vitest'

${clientText(recording)}
const sandbox = await setupSandbox(${optionsText(recording)})

test(${quoted(recordingTitle(recording))}, async () => {
${bodyText(recording)}})
${HELPERS}${SEND}`
}

const SEND = `
/** Sends a request as the browser or the server of the app would; a redirect is not followed. */
async function send(path: string, { query, accept, form, json, authorization }: Sent): Promise<Answer> {
  const url = \`\${sandbox.baseUrl}\${path}\${query ? \`?\${new URLSearchParams(query)}\` : ''}\`
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(json ? { 'content-type': 'application/json' } : {}),
  }
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form)
  const response = await fetch(url, { redirect: 'manual', headers, ...(body ? { method: 'POST', body } : {}) })
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
}
`
