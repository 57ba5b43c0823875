import type { Answer, HttpClient } from './http-client.ts'
import { type Tag, tagsOf } from './markup.ts'

export type FilledForm = ReturnType<typeof fill>

/** Presses the button `data-testid=testId` of a filled form. @throws Error without such a button */
export function press(
  page: string,
  testId: string,
  values: Readonly<Record<string, string>> = {},
): FilledForm {
  const form = formsOf(page).find(({ tags }) => tags.some((tag) => isButton(tag, testId)))
  if (!form) throw new Error(`no form with a button ${testId}`)
  return fill(form, testId, values)
}

/**
 * The form with this id, as a button outside of it sends the form.
 * @throws Error without such a form
 */
export function formWithId(page: string, id: string): FilledForm {
  const form = formsOf(page).find(({ attributes }) => attributes['id'] === id)
  if (!form) throw new Error(`no form ${id}`)
  return fill(form)
}

export function formThatSendsItself(page: string): FilledForm | undefined {
  const form = formsOf(page).find(({ attributes }) => 'data-submit' in attributes)
  return form && fill(form)
}

/** Sends a filled form as a browser on the sandbox's own page does. */
export async function submit(http: HttpClient, { action, fields }: FilledForm): Promise<Answer> {
  return http.request.post(action).set('Sec-Fetch-Site', 'same-origin').send(String(fields))
}

/** The page of the endings, to which a waiting page leads. @throws Error without a link */
export async function openEndings(
  http: HttpClient,
  page: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const link = tagsOf(page).find(({ attributes }) => attributes['href']?.includes('/endings?'))
  if (!link) throw new Error('no link to the endings')
  return (await http.request.get(link.attributes['href'] ?? '').set(headers)).text
}

function formsOf(page: string) {
  const tags = tagsOf(page)
  return tags.flatMap((tag, index) => {
    if (tag.name !== 'form' || tag.attributes['method'] !== 'post') return []
    const end = tags.findIndex(({ name }, position) => position > index && name === '/form')
    return [{ ...tag, tags: tags.slice(index + 1, end) }]
  })
}

type Form = ReturnType<typeof formsOf>[number]

function fill(
  { attributes, tags }: Form,
  testId = '',
  values: Readonly<Record<string, string>> = {},
) {
  const fields = tags.flatMap((tag): [string, string][] => {
    const { name: field = '', value = '' } = tag.attributes
    if (tag.name === 'input') return [[field, values[field] ?? value]]
    if (tag.name === 'select') return [[field, values[field] ?? selectedOption(tags, tag)]]
    return isButton(tag, testId) && field !== '' ? [[field, value]] : []
  })
  return { action: attributes['action'] ?? '', fields: new URLSearchParams(fields) }
}

const isButton = ({ name, attributes }: Tag, testId: string) =>
  name === 'button' && attributes['data-testid'] === testId

function selectedOption(tags: readonly Tag[], select: Tag): string {
  const options = tags.slice(tags.indexOf(select)).filter(({ name }) => name === 'option')
  return (
    (options.find(({ attributes }) => 'selected' in attributes) ?? options[0])?.attributes[
      'value'
    ] ?? ''
  )
}
