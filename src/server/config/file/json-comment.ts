/**
 * Finds the first comment in a config file that is written as JSON; `undefined` when the file is
 * YAML or has no such comment. YAML reads `//` as a part of a text.
 */
export function findCommentInJson(
  text: string,
  file: string,
): { line: number; message: string } | undefined {
  if (!/\.json[c5]?$/i.test(file) && !/^\s*(?:[{[]|\/\/|\/\*)/.test(text)) return undefined
  for (const { 0: token, index } of text.matchAll(
    /"(?:[^"\\\n]|\\.)*"|(?<=^|[\s,{}[\]"\d])(?:\/\/|\/\*)/g,
  )) {
    if (token.startsWith('"')) continue
    const line = text.slice(0, index).split('\n').length
    return {
      line,
      message: `"${token}" begins no comment: JSON has none, and in YAML a comment begins with #`,
    }
  }
  return undefined
}
