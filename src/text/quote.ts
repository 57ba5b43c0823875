const MAX_QUOTE = 60

/** A text in a message: quoted, cut when long, with control characters, other invisible ones and lone surrogates escaped. */
export const quote = (text: string): string => {
  const cut = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text
  return JSON.stringify(cut).replaceAll(/\p{C}/gu, (invisible) => `\\u${hexOf(invisible)}`)
}

/** A text that stands for itself: without quotes as long as it is plain and short. */
export const excerpt = (text: string): string => (/^[!#-~]{1,80}$/.test(text) ? text : quote(text))

const hexOf = (character: string) => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
