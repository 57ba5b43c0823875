/**
 * The remark for an environment variable whose value is in quotation marks; `undefined` for another
 * value. A shell removes such marks, but docker --env-file keeps them.
 */
export function quotationRemark(name: string, value: string): string | undefined {
  if (!/^(['"]).*\1$/s.test(value)) return undefined
  return `${name} begins and ends with quotation marks, which are part of it: docker --env-file keeps them; leave them out`
}
