import type { Command } from 'commander'
import { jsonOption, type ReadFlags } from '../command.ts'

/** Registers `doctor`. What it does is loaded when it runs. */
export function addDoctor(program: Command, flags: ReadFlags): void {
  program
    .command('doctor')
    .description('find out, where the app runs, why it cannot use a sandbox')
    .option('--issuer <url>', 'the issuer as the app has it (default: http://localhost:2435/v1/oidc/use)')
    .option('--client-id <id>', 'the client of the app')
    .option('--client-secret <secret>', 'its secret')
    .option('--redirect-uri <url>', 'its callback')
    .option('--ca <file>', 'a certificate to trust, as PEM')
    .option('--timeout <seconds>', 'how long each call may take (default: 5)')
    .addHelpText(
      'after',
      '\nWith --internal-url it reads discovery by that address, as an app in another container does.',
    )
    .addOption(jsonOption())
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts')
      process.exitCode = (await doctor(flags(), options)) ? 0 : 1
    })
}
