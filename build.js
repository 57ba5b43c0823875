import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundle } from './build/bundle.js'
import { writeDeclarations } from './build/declarations.js'
import { writePersonas } from './build/personas.js'

const root = fileURLToPath(new URL('.', import.meta.url))

const { values: flags } = parseArgs({
  options: {
    // Only what runs, for `npm start`: the declarations are for those who import the package.
    bin: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist') },
  },
})

rmSync(flags.out, { recursive: true, force: true })
await bundle({ root, outdir: flags.out })
await writePersonas({ root, outdir: flags.out })
if (!flags.bin) await writeDeclarations({ root, outdir: flags.out })
