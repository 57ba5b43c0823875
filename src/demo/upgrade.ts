import * as z from 'zod'
import type { Handler, HttpHost } from '../http/handler.ts'
import { Refusal } from '../oidc/refusal.ts'
import { isTrusted } from './checks/check-callback.ts'
import { toResult } from './demo.ts'
import { readDemoForm } from './read-demo-form.ts'
import { sendCode, upgrade } from './server-calls.ts'
import { requireSession, type Session, updateSession } from './sessions.ts'

const issued = z.object({ access_token: z.string() })

/** E4 and E5: exchanges the code of the callback and adds an age signal to the age key. */
export const takeUpgrade =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const { date_of_birth: dateOfBirth = '' } = readDemoForm(request)
    const session = await requireSession(request, tenant)
    const code = requireCode(session)
    const token = await sendCode(code, { tenant, host })
    const { data } = issued.safeParse(token.body)
    const added = data && (await upgrade({ accessToken: data.access_token, dateOfBirth }, { tenant, host }))
    const exchanges = [token.exchange, ...(added ? [added.exchange] : [])]
    await updateSession(request, tenant, { ...session, exchanges })
    return { reply: toResult(tenant) }
  }

/** The code that the shop may exchange now. @throws Refusal when there is none */
function requireCode({ flow, callback, exchanges }: Session): string {
  const code = flow === 'use' ? callback?.params['code'] : undefined
  if (!callback || code === undefined) {
    throw refused(
      'no code came with this flow: it comes only with the upgrade scope, when every threshold is false.',
      'This flow has no code',
    )
  }
  if (!isTrusted(callback)) {
    throw refused('a check of the callback failed, so the shop does not use its code.', 'This code is not used')
  }
  if (exchanges.length > 0) {
    throw refused('the code of this flow is exchanged already; it is single use.', 'This code is used up')
  }
  return code
}

const refused = (problem: string, title: string) =>
  Refusal.invalidRequest(`code: ${problem}`, {
    title,
    restartHint: 'Start again in the demo app: select “Allow an upgrade”, press Verify my age and answer as child-12.',
  })
