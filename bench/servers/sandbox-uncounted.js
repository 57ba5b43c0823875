import { createSandbox } from '../../dist-uncounted/index.js'
import { serve } from './serve.js'

const sandbox = await createSandbox()
serve(sandbox.url)
