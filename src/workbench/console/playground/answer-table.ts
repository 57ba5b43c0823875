import { mapInTurns } from '../../../sandbox/take-turn.ts'
import { contains, type Fields } from '../../../server/http/form.ts'
import {
  counted,
  grouped,
  renderFoldedTable,
  type TableRow,
} from '../../../server/http/html/elements.ts'
import { renderSelect, renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { AgeThresholds } from '../../../service/age/evaluate.ts'
import { pageOf } from '../list-page.ts'
import { flippedOf, type PersonaAnswer } from './answers.ts'

/** Maximum number of personas on one page, and of answers in one row. */
const MAX_SHOWN = 100
const MAX_MARKS = 8

/**
 * Selects the personas of one page and groups them by their answers.
 * @param fields `q`: a part of a name, title or reason; `answers`: the key of a group; `after`: the
 * last persona of the page before
 */
export async function selectAnswers(
  answers: readonly PersonaAnswer[],
  thresholds: readonly number[],
  fields: Fields,
) {
  const asked = [...new Set(thresholds)]
  const filter = { q: fields['q'] ?? '', answers: fields['answers'] ?? '' }
  const groups = inOrder(grouped(answers, (answer) => groupOf(answer, asked)))
  const all = groups.flatMap(([group, members]) => members.map((answer) => ({ group, answer })))
  const inGroup = all.filter(({ group }) => ['', group].includes(filter.answers))
  // Other requests run in between, because the reasons of a persona may take milliseconds.
  const isFound = await mapInTurns(
    inGroup,
    ({ answer }) =>
      contains(filter.q, [answer.name, answer.title]) || contains(filter.q, answer.reasons),
  )
  const found = inGroup.filter((_, index) => isFound[index])
  const { items, next } = pageOf(found, {
    fields,
    limit: MAX_SHOWN,
    idOf: ({ answer }) => answer.name,
  })
  await mapInTurns(items, ({ answer }) => answer.reasons)
  return {
    thresholds: asked,
    filter,
    groups: groups.map(([key, members]) => ({
      key,
      title: inWords(key, asked),
      count: members.length,
    })),
    rows: items,
    /** The number of all personas. */
    total: answers.length,
    /** The number of personas that match the filter. */
    found: found.length,
    next,
  }
}

/** The rows of one page. */
type AnswerTable = Awaited<ReturnType<typeof selectAnswers>>

/**
 * Renders a row for each persona. Groups with changed answers are open. The buttons belong to the
 * form around the tables.
 */
export function renderAnswerTable(table: AnswerTable, copyAction: string): Html {
  const { filter, groups, rows, total, found, next } = table
  const options = groups.map(({ key, title, count }) => ({
    value: key,
    label: `${title} (${count})`,
  }))
  return html`<section class="card" aria-labelledby="answers-title">
<div class="row spread"><h2 id="answers-title">${counted(total, 'persona')}</h2>
<div class="row">
${renderSelect({ name: 'answers', label: 'Answers', value: filter.answers, options: [{ value: '', label: 'All' }, ...options] })}
${renderTextField({ name: 'q', label: 'Find', value: filter.q })}
<button class="secondary" data-testid="show">Show</button>
</div></div>
${rows.length === 0 && html`<p class="notice muted">No persona matches this filter.</p>`}
${renderGroups(table, copyAction)}
${
  rows.length < found &&
  html`<p class="hint">${rows.length} of ${found} are shown.${next !== undefined && html` <button class="secondary" name="after" value="${next}">Next</button>`}</p>`
}
</section>`
}

/** The changes from the answers to the earlier claims: `18: no → yes`. */
export const flipsOf = ({ answers, before }: PersonaAnswer): string[] =>
  answers && before
    ? flippedOf(answers, before).map((threshold) => changeInWords(threshold, answers))
    : []

const changeInWords = (threshold: string, answers: AgeThresholds) =>
  `${threshold}: ${answers[threshold] ? 'no → yes' : 'yes → no'}`

const CHANGED = 'changed'
const NO_AGE_KEY = 'none'

/**
 * The key of a persona's group: `110` for the answers yes, yes, no. Personas with changed answers
 * share one group.
 */
function groupOf(answer: PersonaAnswer, asked: readonly number[]): string {
  const { answers } = answer
  if (!answers) return NO_AGE_KEY
  return flipsOf(answer).length > 0
    ? CHANGED
    : asked.map((threshold) => (answers[threshold] ? '1' : '0')).join('')
}

function inWords(group: string, asked: readonly number[]): string {
  if (group === CHANGED) return 'Changed'
  if (group === NO_AGE_KEY) return 'No age key'
  const reached = asked.filter((_, index) => group[index] === '1')
  if (reached.length === 0) return 'Every age no'
  return reached.length === asked.length ? 'Every age yes' : `Yes to ${listed(reached)} only`
}

const listed = (ages: readonly number[]) =>
  ages.length > MAX_MARKS
    ? `${ages.slice(0, MAX_MARKS).join(', ')} and ${ages.length - MAX_MARKS} more`
    : ages.join(', ')

/** Changed groups first, then those with the most yes. */
const inOrder = <Entry extends readonly [string, unknown]>(groups: readonly Entry[]): Entry[] =>
  groups.toSorted(([one], [other]) => rankOf(other) - rankOf(one))

function rankOf(group: string): number {
  if (group === CHANGED) return Number.POSITIVE_INFINITY
  return group === NO_AGE_KEY ? -1 : group.split('1').length
}

function renderGroups(
  { rows, groups, filter, thresholds }: AnswerTable,
  copyAction: string,
): readonly Html[] {
  return grouped(rows, ({ group }) => group).map(([key, members]) => {
    const title = groups.find((group) => group.key === key)?.title ?? key
    const columns = ['Persona', 'Answers', 'Why', 'Copy']
    const tableRows = members.map(({ answer }) => rowOf(answer, thresholds, copyAction))
    const isOpen = key === CHANGED || filter.q !== '' || filter.answers !== ''
    return renderFoldedTable({
      title,
      caption: `${title}: personas`,
      columns,
      rows: tableRows,
      isOpen,
    })
  })
}

function rowOf(answer: PersonaAnswer, asked: readonly number[], copyAction: string): TableRow {
  const { name, title, answers, reasons } = answer
  const [first, ...others] = reasons
  return {
    testId: `answer-${name}`,
    cells: [
      html`<code title="${title}">${name}</code>`,
      answers ? renderMarks(answer, asked) : html`<span class="mark none">no age key</span>`,
      others.length === 0
        ? first
        : html`<details class="reason"><summary>${first}</summary><ul class="steps">${others.map((line) => html`<li>${line}</li>`)}</ul></details>`,
      html`<button class="quiet" name="persona" value="${name}" formaction="${copyAction}" aria-label="Copy with ${name}">Copy</button>`,
    ],
  }
}

/**
 * Renders a mark for each age, in the order of the request. A changed mark also shows the earlier
 * answer.
 */
function renderMarks({ answers = {}, before = {} }: PersonaAnswer, asked: readonly number[]): Html {
  const marks = asked.slice(0, MAX_MARKS).map((threshold) => {
    const yes = answers[threshold] === true
    const isFlipped = before[threshold] !== undefined && before[threshold] !== answers[threshold]
    const text = isFlipped
      ? changeInWords(String(threshold), answers)
      : `${threshold} ${yes ? 'yes' : 'no'}`
    return html`<li class="mark ${yes ? 'yes' : 'no'}${isFlipped && ' changed'}">${text}</li>`
  })
  return html`<ul class="row marks">${marks}${asked.length > MAX_MARKS && html`<li class="mark none">and ${asked.length - MAX_MARKS} more</li>`}</ul>`
}
