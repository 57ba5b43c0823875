import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { OPERATION_IDS, OPERATIONS } from '../../src/control/contract/contract.ts'
import type { Operation } from '../../src/control/contract/operation.ts'

const INTRODUCTION = `# Control API

JSON below \`/_sandbox\` of a sandbox, or of a tenant: \`http://localhost:2435/t/NAME/_sandbox\`. A body is
sent as \`application/json\`. A refusal is \`{error, error_description, findings}\` and changes nothing; when a name is unknown,
\`suggestions\` holds the nearest ones. A question mark marks an optional member. The shapes are in \`/_sandbox/openapi.json\`
(OpenAPI 3.1), from which clients and types can be generated: \`npx openapi-typescript URL\`.

This file is made from \`src/control/contract/\` by \`npm run docs\`.

| Call | Does | Query | Body | Success |
|---|---|---|---|---|
`

test('docs/control-api.md lists the contract; `npm run docs` writes it', async () => {
  const rows = OPERATION_IDS.map((id) => `${rowOf(OPERATIONS[id])}\n`)
  await expect(INTRODUCTION + rows.join('')).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/control-api.md', import.meta.url)),
  )
})

function rowOf({ method, path, summary, query, body, statuses }: Operation): string {
  const call = `\`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())}\``
  return `| ${[call, summary, membersOf(query), membersOf(body), statuses.join(', ')].join(' | ')} |`
}

const membersOf = (schema: z.ZodType) =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape)
        .map(([name, member]) => `\`${name}${member instanceof z.ZodOptional ? '?' : ''}\``)
        .join(', ')
    : ''
