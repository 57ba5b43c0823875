/** Escapes control characters, so that a request cannot control the terminal or forge a line. */
export const visible = (text: string): string =>
  escapeSteering(text).replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))

/**
 * Escapes further characters that control a terminal, also inside JSON: C1 controls, changes of the
 * text direction, and characters without width.
 */
export const escapeSteering = (text: string): string =>
  text.replace(
    /[\x7f-\x9f\u200b\u2028\u2029\u2060\ufeff]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
