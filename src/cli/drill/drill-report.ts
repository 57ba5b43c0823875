import type { DrilledSub, DrillReport } from '../../client/shapes/drill.ts'
import { alignColumns, paint, visible } from '../terminal.ts'

const STATES = { found: 'found', not_found: 'not found', could_not_ask: 'not asked' } as const

/** The report for people: a line for each `sub`, then what is missing and what to do. */
export function renderDrill({ sandbox, asked, subs, found, total, spoiled }: DrillReport): string[] {
  const missing = subs.filter(({ needed, state }) => needed && state !== 'found')
  const left =
    spoiled === 1
      ? ['1 answer that an outcome changed is left out: no app should keep it']
      : [`${spoiled} answers that an outcome changed are left out: no app should keep them`]
  return [
    `sandbox: ${sandbox}`,
    `asked:   ${asked}`,
    '',
    ...alignColumns(subs.map(cellsOf)).map(visible),
    ...(spoiled === 0 ? [] : left),
    '',
    missing.length === 0
      ? paint('green', `${found} of ${total} found: your app could act, were one of them revoked`)
      : paint(
          'red',
          `${found} of ${total} found; ${missing.map(({ flow }) => flow).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not:`,
        ),
    ...missing.flatMap((sub) => [
      visible(`  ${sub.flow} as ${sub.persona ?? 'no persona'}, ${answersOf(sub)}: ${sub.reason}`),
      `    ${sub.url}`,
    ]),
    ...(missing.length === 0 ? [] : ['', ...WHAT_TO_DO]),
  ]
}

const WHAT_TO_DO = [
  'Were the age signal of one of these revoked, your app could not tell what it let in because of it.',
  'Keep the sub of each id_token that you accept, with your own user or session and the time, for as long as its answer counts.',
  'When your app rightly refused an answer, leave its flow out: --skip f12',
]

const cellsOf = (sub: DrilledSub): string[] => [
  sub.flow,
  sub.at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z'),
  sub.persona ?? '-',
  answersOf(sub),
  sub.sub,
  sub.needed || sub.state === 'found' ? STATES[sub.state] : `${STATES[sub.state]}, and need not be: it grants nothing`,
]

/** Answers in a line. */
const MAX_ANSWERS = 4

function answersOf({ age_thresholds: answers }: DrilledSub): string {
  const said = Object.entries(answers).map(([age, isMet]) => `${age} ${isMet ? 'yes' : 'no'}`)
  return [...said.slice(0, MAX_ANSWERS), ...(said.length > MAX_ANSWERS ? ['…'] : [])].join(', ')
}
