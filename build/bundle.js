import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'

// Its command line prints a table of fifty files, before `npm start` says where the sandbox is.
await build(await loadConfig('rolldown.config.ts'))
