import { CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE, URL_VARIABLE } from '../../config/text-settings.ts'
import { type ProcessEnd, startGroup } from '../start/process-group.ts'
import type { RunReport } from './report.ts'
import type { EarlyEnd } from './run-scenario.ts'
import type { Stage, StagedApp } from './stage.ts'

/** The app's own command, which runs while scenarios play. */
export interface AppCommand {
  /** For the wait of a scenario. */
  readonly early: EarlyEnd
  /** Starts it, once; it must find a scenario armed. */
  start(): void
  /** How it ended; `undefined` when it was never started. */
  ending(): Promise<ProcessEnd | undefined>
  /** Ends it with the programs that it started. */
  stop(): Promise<void>
}

/**
 * Prepares a command. Its output is passed through; beside events on stdout it goes to stderr.
 * @param words the program and its arguments
 */
export async function prepareCommand(
  words: readonly string[],
  { stage, report, isJson }: { stage: Stage; report: RunReport; isJson: boolean },
): Promise<AppCommand> {
  const env = environmentOf(await stage.appSettings())
  let end = () => {}
  const happened = new Promise<void>((resolve) => {
    end = resolve
  })
  let group: ReturnType<typeof startGroup> | undefined
  let reason: string | undefined
  return {
    early: {
      happened,
      get reason() {
        return reason
      },
    },
    start() {
      if (group) return
      report.commandStarted(words)
      group = startGroup(words, { env, stdio: ['ignore', isJson ? 2 : 1, 2] })
      void group.ended.then((ending) => {
        report.commandEnded(ending)
        reason = `the command ${ending.reason}`
        end()
      })
    },
    ending: async () => group?.ended,
    stop: async () => group?.stop(),
  }
}

function environmentOf({ baseUrl, clientId, clientSecret, controlToken }: StagedApp): Record<string, string> {
  return {
    [URL_VARIABLE]: baseUrl,
    [CLIENT_ID_VARIABLE]: clientId,
    ...(clientSecret === undefined ? {} : { [CLIENT_SECRET_VARIABLE]: clientSecret }),
    ...(controlToken === undefined ? {} : { AGEKEY_SANDBOX_CONTROL_TOKEN: controlToken }),
  }
}
