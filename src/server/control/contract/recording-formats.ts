/**
 * The file formats of a flow. A file is named by the id of the flow and `suffix`; lists show
 * `title`.
 */
export const RECORDING_FORMATS = {
  scenario: { mediaType: 'application/yaml', suffix: '.yaml', title: 'Scenario' },
  vitest: { mediaType: 'text/typescript', suffix: '.test.ts', title: 'Test with Vitest' },
  playwright: { mediaType: 'text/typescript', suffix: '.spec.ts', title: 'Test with Playwright' },
  pytest: { mediaType: 'text/x-python', suffix: '.py', title: 'Test with pytest' },
  har: { mediaType: 'application/json', suffix: '.har', title: 'HAR' },
  curl: { mediaType: 'application/x-sh', suffix: '.sh', title: 'Shell script with curl' },
} as const

export type RecordingName = keyof typeof RECORDING_FORMATS

export const RECORDING_NAMES = Object.keys(RECORDING_FORMATS).filter(
  (name): name is RecordingName => Object.hasOwn(RECORDING_FORMATS, name),
)

/**
 * The file name of a recording. pytest collects only files that begin with `test_`.
 * @example
 * recordingFile('f12', 'vitest') // 'f12.test.ts'
 * recordingFile('f12', 'pytest') // 'test_f12.py'
 */
export const recordingFile = (flow: string, as: RecordingName): string =>
  `${as === 'pytest' ? 'test_' : ''}${flow}${RECORDING_FORMATS[as].suffix}`

/** A recording of a flow. */
export interface RecordedFile {
  readonly file_name: string
  readonly media_type: string
  readonly text: string
}
