/**
 * Characters that mean something to YAML, in the order of the noncharacters that stand for them
 * (Unicode 16, section 23.7).
 */
const MEANINGFUL = '{}[],:#%@'
const FIRST_GUARD = 0xfdd0

/**
 * `${NAME:-default}`, `{{host}}`, `{% host %}`, `%HOST%`, `@HOST@`, and `{host}` inside an address.
 */
const GUARDED =
  /\$\{(?:[^{}"'\n]|\$\{[^{}"'\n]*\})*\}|\$\{|\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|%[A-Za-z_]\w*%|@[A-Z][A-Z\d_]*@|(?<=[\w/.@-]|\w:)\{\w[\w.-]*\}/g

/**
 * Guards references to variables, and other placeholders, against the YAML parser, which would read
 * `[${HOST}]` and `{{host}}` as mappings. Each character is replaced by one other character, so
 * that lines and columns stay.
 */
export const guardText = (text: string): string =>
  text.replaceAll(GUARDED, (placeholder) =>
    placeholder.replaceAll(/[{}[\],:#%@]/g, (character) =>
      String.fromCharCode(FIRST_GUARD + MEANINGFUL.indexOf(character)),
    ),
  )

/** The text as it was before `guardText`, also where a message has escaped it. */
export const unguardText = (text: string): string =>
  text.replaceAll(/[\ufdd0-\ufdd8]|\\ufdd([0-8])/g, (guard, escaped: string | undefined) =>
    MEANINGFUL.charAt(escaped === undefined ? guard.charCodeAt(0) - FIRST_GUARD : Number(escaped)),
  )
