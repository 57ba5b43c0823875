/**
 * Escapes control characters, so that a request can neither control the terminal nor forge a line.
 */
export const visible = (text: string): string =>
  escapeSteering(text).replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))

/**
 * Escapes characters that JSON leaves as they are but that can mislead a reader of a terminal: C1
 * control characters, marks of text direction, and zero-width characters.
 */
export const escapeSteering = (text: string): string =>
  text.replace(
    /[\x7f-\x9f\u200b\u2028\u2029\u2060\ufeff]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
