/**
 * Characters with a meaning in YAML. Each is replaced by a noncharacter (Unicode 16, section 23.7),
 * in this order.
 */
const MEANINGFUL = '{}[],:#%@'
const FIRST_GUARD = 0xfdd0

/**
 * `${NAME:-default}`, `{{host}}`, `{% host %}`, `%HOST%`, `@HOST@`, and `{host}` inside an address.
 */
const GUARDED =
  /\$\{(?:[^{}"'\n]|\$\{[^{}"'\n]*\})*\}|\$\{|\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|%[A-Za-z_]\w*%|@[A-Z][A-Z\d_]*@|(?<=[\w/.@-]|\w:)\{\w[\w.-]*\}/g

/**
 * Hides references to variables and other placeholders from the YAML parser, which would read
 * `[${HOST}]` and `{{host}}` as mappings. Each character is replaced by one character, so that
 * lines and columns stay the same.
 */
export const guardText = (text: string): string =>
  text.replaceAll(GUARDED, (placeholder) =>
    placeholder.replaceAll(/[{}[\],:#%@]/g, (character) =>
      String.fromCharCode(FIRST_GUARD + MEANINGFUL.indexOf(character)),
    ),
  )

/**
 * Restores the text from before `guardText`, also in messages that escape the replaced characters.
 * @example
 * unguardText(guardText('{{host}}')) // '{{host}}'
 */
export const unguardText = (text: string): string =>
  text.replaceAll(/[\ufdd0-\ufdd8]|\\ufdd([0-8])/g, (guard, escaped: string | undefined) =>
    MEANINGFUL.charAt(escaped === undefined ? guard.charCodeAt(0) - FIRST_GUARD : Number(escaped)),
  )
