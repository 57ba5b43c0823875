import * as z from 'zod'
import type { Begin, PageRequest, VisitOptions } from './browser.ts'
import { calledEndpoint } from './parties.ts'

/** An element that a user can press. */
export const waySchema = z.object({
  kind: z.enum(['link', 'form', 'button']),
  /** The visible text of the element. */
  text: z.string(),
  /** The target of the element, if the page names it. */
  url: z.string().optional(),
  /** Whether the form has an empty text field: a search, a newsletter, a password. */
  asks: z.boolean().optional(),
  /** Whether the selector of `begin.click` matches it. */
  isSelected: z.boolean().optional(),
})
export type Way = Readonly<z.infer<typeof waySchema>>

export interface Search extends Pick<VisitOptions, 'sandboxUrl' | 'begin' | 'decide'> {
  /** The endpoints that this visit has called. */
  readonly asked: readonly ('E1' | 'E3')[]
  /** The answer of the sandbox. After `create_requested`, the page may lead on to Create. */
  readonly answer?: Pick<PageRequest, 'url' | 'form'> | undefined
  /** The pressed elements, by `wayName`. */
  readonly pressed: readonly string[]
}

const MAX_PRESSES = 3

// Words on buttons in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
// Japanese, Chinese.
const PROVES =
  /\b(?:prove|proof|verif|confirm|check\b|prüf|bestätig|vérif|prouve|justifi|comprueb|comprob|demuestr|acredit|dimostr|comprov|bewijs|controle|bevestig|potwierd|zweryfik|weryfik|udowodni|sprawd)|nachweis|überprüf|確認|証明|認証|确认|验证|证明|驗證|證明/
const AGE =
  /\bage(?:s|key)?\b|\b(?:16|18|21)\b|\bold\b|\badult|\balter\b|alters|volljähr|\bâge|\bmajeur|majorité|\bedad|\bmayor|\betà\b|maggiorenn|\bidade|\bmaior|leeftijd|\bwiek|pełnoletn|年齢|年龄|年齡|成人|歳|岁|歲/
const SIGNS_IN =
  /\b(?:sign|log)[ -]?in\b|anmelden|einloggen|connexion|connecter|iniciar sesi|acced|entrar|inlog|aanmeld|zalog|ログイン|登录|登入/
const CREATES = /\b(?:create|save|keep)\b/
const OTHER =
  /\b(?:sign|log)[ -]?(?:out|up|off)\b|cookie|newsletter|subscri|search|suche|recherch|buscar|cerca\b|zoek|szukaj|検索|搜索|abmelden|déconn|cerrar sesi|uitlog|wylog|ログアウト|cancel|abbrech|annul|delete|remove|\bdeny|reject|decline|\bmenu\b/

type Goal = 'begin' | 'create' | 'none'

/**
 * The way that a user takes: to the sandbox, otherwise by the best words, otherwise by the only
 * form, button or link.
 */
export function chooseWay<W extends Way>(ways: readonly W[], search: Search): W | undefined {
  if (search.pressed.length >= MAX_PRESSES) return undefined
  const goal = goalOf(search)
  const [best] = ways.toSorted(
    (one, other) => scoreOf(other, goal, search) - scoreOf(one, goal, search),
  )
  return best && scoreOf(best, goal, search) > 0 ? best : onlyWay(ways, goal, search)
}

function goalOf({ asked, answer, decide }: Search): Goal {
  if (!decide) return 'none'
  if (!answer && asked.length === 0) return 'begin'
  const createRequested = answer?.form?.['create_requested'] ?? answer?.url ?? ''
  const isRequested = /(?:^|create_requested=)true\b/.test(createRequested)
  return isRequested && !asked.includes('E3') ? 'create' : 'none'
}

/** The score of a way; a user takes only ways above 0. */
function scoreOf(way: Way, goal: Goal, search: Search): number {
  const words = way.text.toLowerCase()
  const click = clickOf(search)
  if (goal === 'begin' && click !== undefined) return scoreOfClick(way, click)
  if (callsSandbox(way, search)) return SCORES.callsSandbox
  if (search.pressed.includes(wayName(way))) return 0
  if (goal === 'begin') return scoreOfWords(way)
  return goal === 'create' && CREATES.test(words) && AGE.test(words) ? 1 : 0
}

/** The text or selector of `begin.click`, until the user has pressed something. */
const clickOf = ({ begin, pressed }: Search): string | undefined =>
  begin && 'click' in begin && pressed.length === 0 ? begin.click.toLowerCase() : undefined

function scoreOfClick({ text, isSelected }: Way, click: string): number {
  const words = text.toLowerCase()
  if (isSelected || words === click) return 2
  return words.includes(click) ? 1 : 0
}

/** Whether a way is the next authorization request. A user who came back does not begin again. */
function callsSandbox({ url }: Way, { asked, answer, sandboxUrl }: Search): boolean {
  if (!url || !URL.canParse(url) || asked.includes('E3')) return false
  const endpoint = calledEndpoint(new URL(url), sandboxUrl)
  return endpoint === 'E3' || (endpoint === 'E1' && asked.length === 0 && !answer)
}

/** The verb counts more than all other words together. */
const SCORES = { callsSandbox: 20, proves: 4, age: 2, signsIn: 1, asksUser: -3, link: -0.5 }

function scoreOfWords({ kind, text, asks }: Way): number {
  const words = text.toLowerCase()
  if (OTHER.test(words)) return 0
  let score = 0
  if (PROVES.test(words)) score += SCORES.proves
  if (AGE.test(words)) score += SCORES.age
  if (SIGNS_IN.test(words)) score += SCORES.signsIn
  if (score === 0) return 0
  if (asks) score += SCORES.asksUser
  if (kind === 'link') score += SCORES.link
  return score
}

/** The only form or button of a page, or its only link when it has neither. */
function onlyWay<W extends Way>(ways: readonly W[], goal: Goal, search: Search): W | undefined {
  if (goal === 'none' || clickOf(search) !== undefined) return undefined
  const open = ways.filter(({ text, asks }) => !asks && !OTHER.test(text.toLowerCase()))
  const forms = open.filter(({ kind }) => kind !== 'link')
  const [only, ...others] = forms.length > 0 || goal === 'create' ? forms : open
  const isAlone = only && others.length === 0
  return isAlone && !search.pressed.includes(wayName(only)) ? only : undefined
}

/** The text of an element, or its URL when it has no text; as JSON. */
export const wayName = ({ text, url = '' }: Pick<Way, 'text' | 'url'>): string =>
  JSON.stringify(text.slice(0, 60) || url)

/** Why a visit did not reach the sandbox, with the remedy. */
export function notBegun(
  ways: readonly Way[],
  pressed: readonly string[],
  begin: Begin | undefined,
): string {
  const seen = [...new Set(ways.map(wayName))].slice(0, 8).join(', ') || 'no link, form or button'
  const isNamed = begin && 'click' in begin
  const missed = isNamed
    ? `nothing on the page is ${JSON.stringify(begin.click)}`
    : 'no way to the sandbox was found'
  const done = pressed.length > 0 ? `pressed ${pressed.join(', then ')}; ` : ''
  const likely = ways.find(({ text }) => text !== '' && !OTHER.test(text.toLowerCase()))
  const named = wayName({ text: likely?.text ?? 'Prove your age' })
  return `${done}${missed}; the page has ${seen}; say how a user begins: use: { begin: { click: ${named} } }`
}
