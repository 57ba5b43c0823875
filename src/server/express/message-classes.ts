import { IncomingMessage, type ServerOptions } from 'node:http'
import type { Express } from 'express'
import { ConnectedResponse } from '../http/refusals/parser-answers.ts'

/**
 * The classes by which Node makes the requests and responses of `app`. Express gives others a new
 * prototype with each call, and V8 then makes a shape of its own for each of them
 * (docs/maintainers/performance.md).
 */
export function messageClasses(app: Express): ServerOptions {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ConnectedResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}
