import { IncomingMessage, type ServerOptions } from 'node:http'
import type { Express } from 'express'
import { ConnectedResponse } from '../http/refusals/parser-answers.ts'

/**
 * Creates the classes that Node instantiates for requests and responses of `app`. With other
 * classes Express changes the prototype of each message, and V8 then creates a new object shape for
 * each message (docs/maintainers/performance.md).
 */
export function messageClasses(app: Express): ServerOptions {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ConnectedResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}
