/** Makes control characters visible, so that what a request says cannot steer the terminal or forge a line. */
export const visible = (text: string): string =>
  escapeSteering(text).replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))

/** Escapes what steers a terminal beside the characters below 32, also inside JSON: other controls, what turns the direction of text, and what has no width. */
export const escapeSteering = (text: string): string =>
  text.replace(
    /[\x7f-\x9f\u200b\u2028\u2029\u2060\ufeff]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
