import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, onTestFinished, test } from 'vitest'
import { createSandboxApi } from '../../src/client/create-sandbox-api.ts'
import { createMcpServer } from '../../src/mcp/server.ts'

test('A defect in a tool is reported to the host, and the agent is told only that there is one', async () => {
  const defect = new Error('ENOENT: keys.pem')
  const call = () => Promise.reject(defect)
  const sandbox = createSandboxApi({ call, lastEnded: call }, { name: 'default', baseUrl: 'http://localhost:2435' })
  const reported: unknown[] = []
  const server = createMcpServer({ sandbox, call }, { version: '1', onError: (error) => reported.push(error) })
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  const { isError, content } = await client.callTool({ name: 'reset' })
  expect(reported).toEqual([defect])
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringMatching(/^(?!.*ENOENT).*is a defect/)])
})
