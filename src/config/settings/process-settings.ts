import { delimiter } from 'node:path'
import * as z from 'zod'
import { storeAddressProblem } from '../../store/redis-address.ts'
import { listOrOne, nonEmpty, parseNumber, type Setting, textWithout, wholeNumber } from './setting.ts'

/** The form in which the command line reports: for people, for programs, not at all. */
export const LOG_MODES = ['pretty', 'json', 'silent'] as const
export type LogMode = (typeof LOG_MODES)[number]

/** Stands for no folder: keys and certificate live in memory. */
export const NO_STATE = 'none'

/** A header loses blanks at the ends of a token. */
const controlToken = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, {
  error: 'expected one or more printable ASCII characters, the first and the last of them no blank',
})

/** The settings about personas, default decisions, and what a sandbox keeps. */
export const PROCESS_SETTINGS = {
  personas: {
    schema: listOrOne(nonEmpty),
    isPath: true,
    flag: { argument: '<path...>', separator: delimiter, shown: 'daily' },
    help: 'persona files or folders, beside the built-in personas',
    about: 'Your own test users: a file, a folder, or a list of them.',
    example: './personas',
  },
  persona: {
    schema: nonEmpty,
    flag: { argument: '<name>', shown: 'daily' },
    help: 'decides as this persona, without a choice page',
    about:
      'Decides when nothing else does: then no choice page is shown. The commands "personas" and "outcomes" list the names.',
    example: 'adult-passport',
  },
  outcome: {
    schema: nonEmpty,
    flag: { argument: '<name>', shown: 'daily' },
    help: 'ends flows this way, without a choice page',
    example: 'verified',
  },
  seed: {
    schema: wholeNumber('a whole number', { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }),
    flag: { argument: '<number>', parse: parseNumber, shown: 'daily' },
    help: 'makes ids, codes, tokens and generated names repeatable',
    about: 'The same seed with a frozen clock gives the same ids, codes, tokens and names.',
    example: '1',
  },
  log: {
    schema: z.enum(LOG_MODES),
    flag: { argument: '<mode>', shown: 'daily' },
    help: 'pretty, json or silent (default: pretty)',
    about: 'pretty, json or silent',
    example: 'pretty',
  },
  stateDir: {
    schema: nonEmpty,
    isPath: true,
    word: NO_STATE,
    flag: { argument: '<folder>' },
    help: 'keeps keys and certificate between runs; none keeps them in memory (default: ~/.local/state/agekey-sandbox)',
    option: 'Keeps the signing keys, and a self-signed certificate, between runs; without it they live in memory',
    about: 'Signing keys and certificate are kept in a folder (none: in memory), or the keys are read from a file.',
    example: './.agekey-sandbox',
  },
  keys: {
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>', shown: 'none' },
    help: 'file of the signing keys; made when it is not there',
    example: './keys.json',
  },
  coverageFile: {
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>', shown: 'none' },
    help: 'writes to this file which answers, outcomes and calls the clients have seen; each run replaces it',
    about:
      'Which answers, outcomes and calls the clients have seen, for "agekey-sandbox coverage". Each run replaces the file.',
    example: './coverage.json',
  },
  store: {
    schema: textWithout(storeAddressProblem),
    flag: { argument: '<url>' },
    help: 'Redis or Valkey, shared by several replicas (default: memory of this process)',
    about: 'Redis or Valkey, so that several replicas act as one sandbox; all of them need the same base_url.',
    example: 'redis://localhost:6379',
  },
  memoryBudget: {
    schema: wholeNumber('a whole number of megabytes from 1 up', { from: 1, to: 1_000_000 }),
    flag: { argument: '<megabytes>', parse: parseNumber, shown: 'none' },
    help: 'keeps at most so many MB in memory, the oldest goes (default: 256)',
    about:
      'What is kept in memory, in MB. When it is full the oldest goes: unfinished requests first, what was declared never.',
    example: '256',
  },
  controlToken: {
    schema: controlToken,
    flag: { argument: '<token>' },
    help: 'the control API asks for it beyond this machine: other host or base URL than loopback, calls through a proxy',
    about: 'Beyond this machine, and through a proxy, calls of the control API need this token.',
    example: 'not-a-real-token',
  },
} satisfies Readonly<Record<string, Setting>>
