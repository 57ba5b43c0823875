import * as z from 'zod'
import type { Begin, PageRequest, VisitOptions } from './browser.ts'
import { calledEndpoint } from './parties.ts'

export const waySchema = z.object({
  kind: z.enum(['link', 'form', 'button']),
  /** Its visible text. */
  text: z.string(),
  /** Its target, if the page tells. */
  url: z.string().optional(),
  /** Whether the form asks its user for something: a search, a newsletter, a password. */
  asks: z.boolean().optional(),
  /** Whether the selector of `begin.click` matches it. */
  isSelected: z.boolean().optional(),
})
export type Way = Readonly<z.infer<typeof waySchema>>

export interface Search extends Pick<VisitOptions, 'sandboxUrl' | 'begin' | 'decide'> {
  /** Whether this visit has called E1 or E3. */
  readonly asked: readonly ('E1' | 'E3')[]
  /**
   * Whether the visit brought an answer. After `create_requested`, the page may lead on to Create.
   */
  readonly answer?: Pick<PageRequest, 'url' | 'form'> | undefined
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

/**
 * The way that a user takes: to the sandbox, otherwise by the best words, otherwise by the only
 * form, button or link.
 */
export function chooseWay<W extends Way>(ways: readonly W[], search: Search): W | undefined {
  const { asked, answer, pressed, begin, decide } = search
  const isBeginning = decide && asked.length === 0 && !answer
  const wish = answer && (answer.form?.['create_requested'] ?? answer.url)
  const isCreating =
    decide && !asked.includes('E3') && /(?:^|create_requested=)true\b/.test(wish ?? '')
  const click =
    begin && 'click' in begin && pressed.length === 0 ? begin.click.toLowerCase() : undefined
  if (pressed.length >= MAX_PRESSES) return undefined
  const worth = (way: W): number => {
    const { kind, text, url, asks, isSelected } = way
    const words = text.toLowerCase()
    if (isBeginning && click !== undefined)
      return isSelected || words === click ? 2 : words.includes(click) ? 1 : 0
    const endpoint =
      url && URL.canParse(url) ? calledEndpoint(new URL(url), search.sandboxUrl) : undefined
    // A user who came back does not begin again.
    if (
      endpoint &&
      !asked.includes('E3') &&
      (endpoint === 'E3' || asked.length + (answer ? 1 : 0) === 0)
    )
      return 20
    if (pressed.includes(wayName(way))) return 0
    if (!isBeginning) return isCreating && CREATES.test(words) && AGE.test(words) ? 1 : 0
    if (OTHER.test(words)) return 0
    const said =
      (PROVES.test(words) ? 4 : 0) + (AGE.test(words) ? 2 : 0) + (SIGNS_IN.test(words) ? 1 : 0)
    return said === 0 ? 0 : said - (asks ? 3 : 0) - (kind === 'link' ? 0.5 : 0)
  }
  const [best] = ways.toSorted((one, other) => worth(other) - worth(one))
  if (best && worth(best) > 0) return best
  const open = ways.filter(({ text, asks }) => !asks && !OTHER.test(text.toLowerCase()))
  const forms = open.filter(({ kind }) => kind !== 'link')
  const [only, ...others] = forms.length > 0 || isCreating ? forms : open
  const isAlone = (isBeginning || isCreating) && click === undefined && only && others.length === 0
  return isAlone && !pressed.includes(wayName(only)) ? only : undefined
}

/** A way, described by what a user knows of it. */
export const wayName = ({ text, url = '' }: Pick<Way, 'text' | 'url'>): string =>
  JSON.stringify(text.slice(0, 60) || url)

/** Why a visit did not begin, with the remedy. */
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
