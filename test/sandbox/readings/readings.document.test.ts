import { expect, test } from 'vitest'
import type { Reading } from '../../../src/sandbox/readings/reading.ts'
import { excludedBy, quotationOf, READINGS } from '../../../src/sandbox/readings/readings.ts'

const INTRODUCTION = `# Readings

The specification leaves things open ("not shown"). A live service decides them in one way, which an app cannot know before. A
**reading** is one of these points with the ways to read it, each with a source that makes it legal. The table has {count} readings with
{variants} variants beside the defaults.

An app that works under every variant does not depend on a guess. One that breaks under \`par_status=200\` does: it is no bug of the
app, but worth knowing before the service changes. \`agekey-sandbox audit URL --readings\` tries every variant and says which break your
app: [audit.md](audit.md#readings).

## Setting readings

| Where | How |
|---|---|
| flag | \`--reading par_status=200 --reading typ=absent\` |
| variable | \`AGEKEY_SANDBOX_READING=par_status=200,typ=absent\` |
| config file | \`readings: { par_status: 200, typ: absent }\` |
| library | \`createSandbox({ readings: { par_status: '200' } })\`, \`sandbox.configure({ readings: { typ: 'absent' } })\` |
| control API | \`PUT /_sandbox/tenants/NAME\` with \`{"readings": {"par_status": "200"}}\`; the sandbox itself is the tenant \`default\` |
| console | the page Readings |

What is left out stays as it is. \`null\` takes one back: \`{"readings": {"typ": null}}\`; \`"readings": null\` takes all back. The status
strip shows what is set. Two variants that cannot both hold are refused; the table names them.

A reading changes the honest answer. An outcome that is forced comes on top: \`id_token.expired\` under \`signing=ES256\` is an ES256
token that has expired. The form of refused calls (\`error_body\`, \`error_description\`, \`client_error_status\`) holds for refusals
that the service makes and for those that an outcome forces. It does not hold for mistakes in \`X-Sandbox-\` headers, which stay readable.

## A seed instead of a choice

\`--grease 7\` picks one variant for each flow, by the seed (a whole number or text) and the \`state\` of the flow. The same seed and
\`state\` pick the same variant, in each call of the flow: PAR and E3; Use, token and upgrade. The journal says which one it was:
\`readings\` in \`GET /_sandbox/flows/ID\`, a line on the page of the flow and in \`agekey-sandbox explain f12\`. A test that fails
under a seed is repeated with that one reading set.

Decision: discovery and the key set belong to no flow, so a seed leaves them as they are; the brand word too, which is part of what
the client sends. Beside readings that are set, a seed picks among the others, never one that they exclude.

This file is made from the tables in \`src/sandbox/readings/\` by \`npm run docs\`; a star marks the default.
`

/** `docs/readings.md`: what the specification leaves open, with each way to read it. */
function renderReadingsDocument(): string {
  const variants = READINGS.reduce((sum, reading) => sum + reading.variants.length - 1, 0)
  const introduction = INTRODUCTION.replace('{count}', String(READINGS.length)).replace('{variants}', String(variants))
  return [introduction, '## The readings\n', ...READINGS.map(renderReading)].join('\n')
}

function renderReading({ name, point, section, quote, variants, shownBy, ...reading }: Reading): string {
  const rows = variants.map((variant) => {
    const excluded = excludedBy(name, variant.name)
    const beside = excluded.length === 0 ? '' : ` Not beside ${excluded.map((id) => `\`${id}\``).join(', ')}.`
    const star = variant.name === reading.default ? ' *' : ''
    return `| \`${variant.name}\`${star} | ${variant.summary}${beside} | ${variant.source} |`
  })
  return [
    `### ${name}`,
    '',
    `${point}. ${section}: ${quotationOf({ quote })}`,
    '',
    '| Variant | What the service does | Source |',
    '|---|---|---|',
    ...rows,
    '',
    `Shown by ${shownBy.map((id) => `\`${id}\``).join(', ')}.`,
    '',
  ].join('\n')
}

test('docs/readings.md is what the table of readings says; `npm run docs` writes it', async () => {
  await expect(renderReadingsDocument()).toMatchFileSnapshot('../../../docs/readings.md')
})
