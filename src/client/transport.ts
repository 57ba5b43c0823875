import type { OperationId, OperationInput, OperationResult } from '../control/contract/contract.ts'

/** Makes control calls, of one tenant. @throws SandboxError when a call is refused */
export interface Transport {
  call<Op extends OperationId>(operationId: Op, input: OperationInput<Op>): Promise<OperationResult<Op>>
}
