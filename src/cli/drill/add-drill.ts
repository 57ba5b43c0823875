import type { Command } from 'commander'
import { addressOptions, HELP_WIDTH, jsonOption, type ReadFlags } from '../command.ts'
import type { DrillFlags } from './drill.ts'

const EXPLANATION = `
The app has to run, and so has the sandbox that it used: the drill reads from its journal which id_tokens the app received, and
asks the app for the sub of each. Found means: the app answers 2xx, and the answer holds the sub. A sub that the app never
received is asked for first, and must not be found. The question may stand in agekey-audit.yaml in this folder, beside app:

  app: http://localhost:3000/verify
  audit: { get: "/admin/verifications?sub={sub}", headers: { Authorization: "Bearer {env:ADMIN_TOKEN}" } }

Exit codes: 0 the app found each; 1 it did not find some; 2 nothing could be shown (no sub, the app is down, it finds whatever it
is asked for).

Examples:
  agekey-sandbox drill                                 app and question as agekey-audit.yaml has them
  agekey-sandbox drill http://localhost:3000 --get "/admin/verifications?sub={sub}"
                                                       without the file
  agekey-sandbox drill --header "Authorization: Bearer {env:ADMIN_TOKEN}"
                                                       with a token of the environment, which is not printed
  agekey-sandbox drill --client web-shop --since f120  only what this client received after flow f120
  agekey-sandbox drill --json | jq '.subs[] | select(.state != "found")'
                                                       for scripts`

/** Registers the command. What it does is loaded when it runs. */
export function addDrill(program: Command, flags: ReadFlags): void {
  const drill = program
    .command('drill [app]')
    .description('find out whether your app finds each verification again, should an age signal be revoked')
    .configureHelp({ helpWidth: HELP_WIDTH })
  addressOptions(drill)
    .option('--get <path>', 'how the app is asked: a path of it, with {sub} for the sub')
    .option(
      '--header <header>',
      'sent with the question, as "Name: value"; {env:NAME} is a variable of the environment; may be given several times',
      (header: string, earlier: readonly string[] = []) => [...earlier, header],
    )
    .option('--age <years>', 'the age that the app lets users in from: it needs no sub of an answer that says no to it')
    .option('--client <id>', 'the client_id of the app, when several received an id_token')
    .option('--since <flow>', 'only flows that began after this one: f12')
    .option(
      '--skip <flow>',
      'a flow whose answer the app rightly refused, so that it need not know it; may be given several times',
      (flow: string, earlier: readonly string[] = []) => [...earlier, flow],
    )
    .option('--timeout <seconds>', 'how long each question may take (default: 10)')
    .option('--this-app-is-mine', 'asks an app beyond this machine and its private network')
    .addOption(jsonOption())
    .addHelpText('after', EXPLANATION)
    .action(async (app: string | undefined, options: DrillFlags) => {
      const { drill } = await import('./drill.ts')
      process.exitCode = await drill(app, flags(), options)
    })
}
