import { type Command, Option } from 'commander'
import type { Texts } from '../config/text-settings.ts'

/**
 * The flags that give settings. None is checked here: the same text may come from the environment, so `config.ts` does it
 * for both.
 */
export function settingOptions(): Option[] {
  return [
    new Option('-p, --port <number>', 'port to listen on; 0 takes a free one (default: 2435)'),
    new Option('--host <address>', 'address to listen on (default: 127.0.0.1, only this machine)'),
    new Option('--base-url <url>', 'address under which relying parties reach it (default: http://localhost:PORT)'),
    new Option('--base-path <path>', 'path of the base URL, in place of a whole one: /agekey'),
    new Option('--internal-url <url>', 'address by which servers reach it, when browsers use another one'),
    new Option('--trust-host', 'discovery names the addresses under the host that a server calls by, whatever it is'),
    new Option('--trust-proxy <address...>', 'proxies whose X-Forwarded- headers count: addresses or CIDR ranges'),
    new Option('--https', 'serves https, with a self-signed certificate that it keeps and whose file it prints'),
    new Option('--https-cert <file>', 'PEM file of your own certificate, with --https-key'),
    new Option('--https-key <file>', 'PEM file of its private key'),
    new Option('-c, --config <file>', 'config file (default: agekey-sandbox.yaml in this folder, when present)'),
    new Option('--personas <path...>', 'persona files or folders, beside the built-in personas'),
    new Option('--persona <name>', 'decides as this persona, without a choice page'),
    new Option('--outcome <name>', 'ends flows this way, without a choice page'),
    new Option('--profile <name>', 'spec or agekey (default: spec)'),
    new Option('--seed <number>', 'makes ids, codes, tokens and generated names repeatable'),
    new Option('--log <mode>', 'pretty, json or silent (default: pretty)'),
    new Option(
      '--state-dir <folder>',
      'keeps keys and certificate between runs; none keeps them in memory (default: ~/.local/state/agekey-sandbox)',
    ),
    new Option('--keys <file>', 'file of the signing keys; made when it is not there'),
    new Option('--store <url>', 'Redis or Valkey, shared by several replicas (default: memory of this process)'),
    new Option('--control-token <token>', 'the control API asks callers from other machines for this token'),
  ]
}

/** The settings that were given as flags, by flag: `{ 'base-url': 'http://localhost:2435' }`. */
export function textsOf(program: Command): Texts {
  const texts = settingOptions().map((option) => {
    const given: unknown = program.getOptionValue(option.attributeName())
    return [option.name(), given === true ? 'true' : given]
  })
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}
