import { onDemand } from '../../../sandbox/files/on-demand.ts'
import { loadPersonas } from '../../../sandbox/personas/load-personas.ts'
import type { Persona } from '../../../sandbox/personas/persona-schema.ts'
import type { HttpHost } from '../../../server/http/handler.ts'
import type { Claims } from '../../../service/age/claims.ts'
import type { AgeThresholds } from '../../../service/age/evaluate.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { shellWord } from '../../../service/text/shell-word.ts'

/** A text to paste elsewhere. */
export interface Copy {
  readonly title: string
  readonly text: string
  /** Whether the text has many lines. */
  readonly isLong?: true
}

interface Copied {
  readonly claims: Claims
  readonly persona: Persona
  /** The persona; absent without an age key. */
  readonly answers: AgeThresholds | undefined
  readonly baseUrl: string
  readonly client: Pick<HttpHost['shownClient'], 'clientId'>
}

/** Loaded on demand: the YAML library and the built-in personas. */
const loadForYaml = onDemand(() => import('../../../sandbox/personas/persona-files.ts'))
const loadBuiltIn = onDemand(() => loadPersonas())

/**
 * Creates texts from a persona and claims: a persona file, an expectation, a test, and the request
 * itself.
 */
export async function copiesOf({
  claims,
  persona,
  answers,
  baseUrl,
  client,
}: Copied): Promise<Copy[]> {
  const { personaYaml } = await loadForYaml()
  const expectation = { flow: 'use', persona: persona.name }
  const builtIn = (await loadBuiltIn()).find(({ name }) => name === persona.name)
  const isOwn = JSON.stringify(builtIn) !== JSON.stringify(persona)
  const request = new URLSearchParams({
    scope: 'openid',
    response_type: 'id_token',
    client_id: client.clientId,
    redirect_uri: 'http://localhost:3000/callback',
    state: 'state-1',
    nonce: 'nonce-1',
    claims: JSON.stringify(claims),
    sandbox_persona: persona.name,
  })
  return [
    { title: 'Persona as YAML', text: personaYaml(persona).trimEnd(), isLong: true },
    {
      title: 'Expectation by curl: the next Use flow is this persona',
      text: `curl ${shellWord(`${baseUrl}/_sandbox/expectations`)} --json ${shellWord(JSON.stringify(expectation))}`,
    },
    {
      title: 'Expectation in TypeScript',
      text: `await sandbox.next({ flow: 'use', persona: ${quoted(persona.name)} })`,
    },
    ...(answers
      ? [
          {
            title: 'Test with Vitest',
            text: testOf(claims, { persona, answers, isOwn }),
            isLong: true as const,
          },
        ]
      : []),
    {
      title: 'The E1 request by curl, answered as this persona',
      text: `curl -i ${shellWord(`${baseUrl}${ENDPOINTS.use.path}?${request}`)}`,
    },
  ]
}

function testOf(
  claims: Claims,
  { persona, answers, isOwn }: { persona: Persona; answers: AgeThresholds; isOwn: boolean },
): string {
  const put = isOwn ? `  await sandbox.personas.put(${indented(persona)})\n` : ''
  return `import { createSandbox } from 'agekey-sandbox'
import { expect, onTestFinished, test } from 'vitest'

test(${quoted(`${persona.name} gets the expected answers`)}, async () => {
  const sandbox = await createSandbox()
  onTestFinished(() => sandbox.close())
${put}  const { age_thresholds } = await sandbox.evaluate({
    persona: ${quoted(persona.name)},
    claims: ${indented(claims, '    ')},
  })
  expect(age_thresholds).toEqual(${JSON.stringify(answers)})
})`
}

const indented = (value: unknown, indent = '  ') =>
  JSON.stringify(value, undefined, 2).replace(/\n/g, `\n${indent}`)

/** Safe: names of personas contain no quotes. */
const quoted = (text: string) => `'${text}'`
