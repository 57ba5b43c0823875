import { expect, test } from 'vitest'
import { type CheckedCallback, checkCreateCallback, checkUseCallback } from '../../../src/demo/checks/check-callback.ts'
import { keySetSchema } from '../../../src/demo/checks/check-reply.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { push } from '../../outcomes/correct-server-calls.ts'
import { issuerOf, runCreate, runUse } from '../../outcomes/flows.ts'
import { personasFor } from '../../support/personas-for.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

/** The rows of a flow that bring an answer, with each persona that shows the fault. */
const rowsOf = (flow: Outcome['flow']) =>
  OUTCOMES.filter((row) => row.flow === flow && row.family !== 'no_answer').flatMap((row) =>
    personasFor(row).map((persona) => ({ name: row.name, persona, row })),
  )

const failed = ({ checks, reads }: CheckedCallback): string[] =>
  [...checks, ...reads.flatMap((read) => read.checks)].filter(({ passed }) => !passed).map(({ name }) => name)

async function fetchKeys() {
  const { body } = await sandbox.request.get('/.well-known/jwks.json')
  return { keys: keySetSchema.parse(body).keys, exchanges: [] }
}

test.each(rowsOf('use'))(
  'The checks of a Use callback that fail for $name as $persona are those that the row breaks',
  async ({ row, persona }) => {
    const { session, delivery } = await runUse(sandbox, row, { sandbox_persona: persona })
    if (!delivery) throw new Error(`${row.name} must bring an answer`)
    const checked = await checkUseCallback(
      // An address without an answer belongs to any mode.
      { encoded: delivery.params.toString(), mode: delivery.params.size === 0 ? session.mode : delivery.mode },
      {
        request: {
          client_id: sandbox.client.clientId,
          scope: session.upgrade ? 'openid svc.upgrade' : 'openid',
          response_mode: session.mode,
          state: session.state,
          nonce: session.nonce,
          claims: session.claims,
          can_create: String(session.canCreate),
        },
        issuer: issuerOf(sandbox),
        startedAt: session.startedAt * 1000,
        now: Date.now(),
        fetchKeys,
      },
    )
    expect(failed(checked).toSorted()).toEqual([...row.breaks].toSorted())
  },
)

test.each(rowsOf('create'))(
  'The checks of a Create callback that fail for $name are those that the row breaks',
  async ({ row }) => {
    const state = crypto.randomUUID()
    const requestUri = await push(sandbox.baseUrl, { state })
    const delivery = await runCreate(sandbox, requestUri, row.name)
    if (!delivery) throw new Error(`${row.name} must bring an answer`)
    const checked = checkCreateCallback(
      { encoded: delivery.params.toString(), mode: delivery.mode },
      { state, issuer: `${sandbox.baseUrl}/v1/oidc/create` },
    )
    expect(failed(checked).toSorted()).toEqual([...row.breaks].toSorted())
  },
)
