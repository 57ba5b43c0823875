import { startExpressExample } from '../support/express-example.ts'
import { describeApp } from './describe-app.ts'

describeApp('The Express example', (sandbox) => startExpressExample(sandbox))
