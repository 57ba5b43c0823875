import type { Settings } from '../config/load-settings.ts'
import { ConfigError } from '../files/config-error.ts'
import { createSandbox, type Sandbox } from '../server/create-sandbox.ts'
import type { Report } from './start/report.ts'

/** Starts the sandbox that settings describe. @throws an error that names the flag, the variable, or file and line */
export async function createFromSettings(
  { sandbox: options, blame }: Settings,
  report: Pick<Report, 'warning' | 'defect'> & Partial<Pick<Report, 'call'>>,
): Promise<Sandbox> {
  try {
    return await createSandbox({
      ...options,
      ...(report.call && { onCall: report.call }),
      onWarning: report.warning,
      onError: report.defect,
    })
  } catch (error) {
    if (!(error instanceof ConfigError && error.setting)) throw error
    throw await blame(error.setting.path, error.setting.reason)
  }
}
