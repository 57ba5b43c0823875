import type { Changes } from '../../support/express-example.ts'

/**
 * The Express example as an app that depends on three readings (the form of a code, a description,
 * and the bytes of a body) and on a pair of readings, which it survives one by one.
 */
export const DEPENDS_ON_READINGS: Changes = [
  [
    '  const reply = await response.json()\n',
    `  const text = await response.text()
  if (path.endsWith('/upgrade') && text !== '"OK"') throw new Error('the age key was not upgraded')
  const reply = /^[{"]/.test(text) ? JSON.parse(text) : text\n`,
  ],
  [
    '  if (code !== undefined) return',
    "  if (/[^\\w-]/.test(code)) throw new Error('this is no code')\n  if (code !== undefined) return",
  ],
  [
    "  if (error !== undefined) return response.status(403).send('No age was proved.')\n",
    `  if (error !== undefined) {
    const why = request.body.error_description
    return why ? response.status(403).send('No age was proved.') : response.status(500).send('Something went wrong.')
  }\n`,
  ],
  ['const { payload } = await jwtVerify(', 'const { payload, protectedHeader } = await jwtVerify('],
  [
    "  if (!isOurs) throw new Error('this token answers another request')\n",
    `  if (!isOurs) throw new Error('this token answers another request')
  if (protectedHeader.typ === undefined && payload.azp !== undefined) throw new Error('a token of no known make')\n`,
  ],
]
