import { randomBytes } from 'node:crypto'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { DrilledSub, DrillReport } from '../../client/shapes/drill.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AppQuestion } from './ask-app.ts'
import { readReceivedSubs, type SubFilter } from './received-subs.ts'

/**
 * Asks an app for each verification that it received.
 * @throws AuditProblem with one line, when nothing can be shown: no `sub`, no app, or an app that finds whatever it is asked for
 */
export async function runDrill(sandbox: SandboxApi, question: AppQuestion, filter: SubFilter): Promise<DrillReport> {
  const received = await readReceivedSubs(sandbox, filter)
  await requireHonest(question, received.subs[0]?.sub ?? '')
  const subs: DrilledSub[] = []
  for (const sub of received.subs) subs.push({ ...sub, ...(await question.ask(sub.sub)) })
  const needed = subs.filter((sub) => sub.needed)
  if (needed.every(({ state }) => state === 'could_not_ask'))
    throw new AuditProblem(`${question.title}: your app could be asked for no sub: ${needed[0]?.reason}`)
  const isFound = needed.filter(({ state }) => state === 'found')
  return {
    sandbox: sandbox.baseUrl,
    asked: question.title,
    subs,
    found: isFound.length,
    total: needed.length,
    spoiled: received.spoiled,
    exit_code: isFound.length === needed.length ? 0 : 1,
  }
}

/** Asks for a `sub` that the app never received, which it must not find. @param like one that it received */
async function requireHonest({ title, ask }: AppQuestion, like: string): Promise<void> {
  const control = await ask(randomBytes(Buffer.from(like, 'base64url').length).toString('base64url'))
  if (control.state === 'found') {
    throw new AuditProblem(
      `${title}: your app also finds a sub that it never received, so that its yes proves nothing; let it answer 404, or without the sub, for one that it does not know`,
    )
  }
  if (control.state === 'could_not_ask') {
    throw new AuditProblem(
      `${title}: your app could not be asked for a sub that it never received, which has to be a 404 or an answer without the sub: ${control.reason}`,
    )
  }
}
