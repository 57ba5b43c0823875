import * as z from 'zod'
import type { Begin, PageRequest, VisitOptions } from './browser.ts'
import { calledEndpoint } from './parties.ts'

/** A way onward: an element that a user can press. */
export const waySchema = z.object({
  kind: z.enum(['link', 'form', 'button']),
  /** The visible text of the element. */
  text: z.string(),
  /** The target URL, if the page names it. */
  url: z.string().optional(),
  /** Whether the form has an empty text field, for example for a search or a password. */
  asks: z.boolean().optional(),
  /** Whether the selector of `begin.click` matches the element. */
  isSelected: z.boolean().optional(),
})
export type Way = Readonly<z.infer<typeof waySchema>>

/** What the user is looking for on a page. */
export interface Search extends Pick<VisitOptions, 'sandboxUrl' | 'begin' | 'decide'> {
  /** The endpoints that this visit has called. */
  readonly asked: readonly ('E1' | 'E3')[]
  /** The answer that the sandbox gave. After `create_requested`, the page may lead to Create. */
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
 * Chooses the element that a user would press: an element that leads to the sandbox, otherwise the
 * element with the best words, otherwise the only form, button or link.
 * @returns `undefined` if no element qualifies, or after three presses
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

/** The score of an element. A user presses only elements with a score above 0. */
function scoreOf(way: Way, goal: Goal, search: Search): number {
  const words = way.text.toLowerCase()
  const click = clickOf(search)
  if (goal === 'begin' && click !== undefined) return scoreOfClick(way, click)
  if (callsSandbox(way, search)) return SCORES.callsSandbox
  if (search.pressed.includes(wayName(way))) return 0
  if (goal === 'begin') return scoreOfWords(way)
  return goal === 'create' && CREATES.test(words) && AGE.test(words) ? 1 : 0
}

/** The text or selector of `begin.click`; `undefined` after the first press. */
const clickOf = ({ begin, pressed }: Search): string | undefined =>
  begin && 'click' in begin && pressed.length === 0 ? begin.click.toLowerCase() : undefined

function scoreOfClick({ text, isSelected }: Way, click: string): number {
  const words = text.toLowerCase()
  if (isSelected || words === click) return 2
  return words.includes(click) ? 1 : 0
}

/**
 * Whether an element sends the next authorization request. A returned user begins no second Use.
 */
function callsSandbox({ url }: Way, { asked, answer, sandboxUrl }: Search): boolean {
  if (!url || !URL.canParse(url) || asked.includes('E3')) return false
  const endpoint = calledEndpoint(new URL(url), sandboxUrl)
  return endpoint === 'E3' || (endpoint === 'E1' && asked.length === 0 && !answer)
}

/** A verb such as "prove" counts more than all other words together. */
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

/** The only form or button of a page, or the only link of a page without forms and buttons. */
function onlyWay<W extends Way>(ways: readonly W[], goal: Goal, search: Search): W | undefined {
  if (goal === 'none' || clickOf(search) !== undefined) return undefined
  const open = ways.filter(({ text, asks }) => !asks && !OTHER.test(text.toLowerCase()))
  const forms = open.filter(({ kind }) => kind !== 'link')
  const [only, ...others] = forms.length > 0 || goal === 'create' ? forms : open
  const isAlone = only && others.length === 0
  return isAlone && !search.pressed.includes(wayName(only)) ? only : undefined
}

/** The text of an element, otherwise its URL; as a JSON string. */
export const wayName = ({ text, url = '' }: Pick<Way, 'text' | 'url'>): string =>
  JSON.stringify(text.slice(0, 60) || url)

/** Says why a visit did not reach the sandbox, with the remedy. */
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
