import { createSandbox } from '../../dist/index.js'
import { serve } from './serve.js'

const sandbox = await createSandbox({
  store: process.env.BENCH_STORE,
  baseUrl: 'http://localhost:2435',
})
serve(sandbox.url)
