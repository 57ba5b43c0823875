import type { Answer, HttpClient } from './http-client.ts'
import { type Tag, tagsOf } from './markup.ts'

/** A form as a browser would send it. */
export interface FilledForm {
  readonly action: string
  readonly fields: URLSearchParams
}

/**
 * Fills the form that holds the button `data-testid=testId` and presses it: hidden fields, text fields, the selected
 * option and the button itself are sent, in the order of the page. @throws Error when there is no such button
 */
export function press(page: string, testId: string, values: Readonly<Record<string, string>> = {}): FilledForm {
  const form = formsOf(page).find(({ tags }) => tags.some((tag) => isButton(tag, testId)))
  if (!form) throw new Error(`no form with a button ${testId}`)
  const fields = form.tags.flatMap((tag): [string, string][] => {
    const { name: field = '', value = '' } = tag.attributes
    if (tag.name === 'input') return [[field, values[field] ?? value]]
    if (tag.name === 'select') return [[field, values[field] ?? selectedOption(form.tags, tag)]]
    return isButton(tag, testId) && field !== '' ? [[field, value]] : []
  })
  return { action: form.action, fields: new URLSearchParams(fields) }
}

/** The form with this id as it is sent by a button that stands elsewhere. @throws Error when there is none */
export function formWithId(page: string, id: string): FilledForm {
  const form = formsOf(page).find((one) => one.id === id)
  if (!form) throw new Error(`no form ${id}`)
  const inputs = form.tags.filter(({ name }) => name === 'input')
  const fields = inputs.map(({ attributes }): [string, string] => [attributes['name'] ?? '', attributes['value'] ?? ''])
  return { action: form.action, fields: new URLSearchParams(fields) }
}

/** Sends a filled form as a browser on the sandbox's own page does. */
export async function submit(http: HttpClient, { action, fields }: FilledForm): Promise<Answer> {
  return http.request.post(action).set('Sec-Fetch-Site', 'same-origin').send(String(fields))
}

/** The page of the endings that a waiting page leads to. @throws Error when it leads to none */
export async function openEndings(
  http: HttpClient,
  page: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const link = tagsOf(page).find(({ attributes }) => attributes['href']?.includes('/endings?'))
  if (!link) throw new Error('no link to the endings')
  return (await http.request.get(link.attributes['href'] ?? '').set(headers)).text
}

interface Form {
  readonly id: string | undefined
  readonly action: string
  readonly tags: readonly Tag[]
}

function formsOf(page: string): readonly Form[] {
  const tags = tagsOf(page)
  return tags.flatMap((tag, index) => {
    if (tag.name !== 'form' || tag.attributes['method'] !== 'post') return []
    const end = tags.findIndex(({ name }, position) => position > index && name === '/form')
    return [{ id: tag.attributes['id'], action: tag.attributes['action'] ?? '', tags: tags.slice(index + 1, end) }]
  })
}

const isButton = ({ name, attributes }: Tag, testId: string) =>
  name === 'button' && attributes['data-testid'] === testId

function selectedOption(tags: readonly Tag[], select: Tag): string {
  const from = tags.indexOf(select)
  const options = tags.slice(from).filter(({ name }) => name === 'option')
  const selected = options.find(({ attributes }) => 'selected' in attributes) ?? options[0]
  return selected?.attributes['value'] ?? ''
}
