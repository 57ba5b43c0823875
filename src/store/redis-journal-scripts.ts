import { type CommandParser, defineScript } from '@redis/client'

/** Removes a flow and every key that names it. */
const DROP = `
local function drop(prefix, tenant, id)
  local key = prefix .. tenant .. ':' .. id
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'i:' then
      redis.call('HDEL', prefix .. tenant .. ':identifiers', string.sub(field, 3))
    end
  end
  redis.call('DECRBY', prefix .. 'size', redis.call('HGET', key, 'size') or '0')
  redis.call('ZREM', prefix .. tenant .. ':flows', id)
  redis.call('ZREM', prefix .. 'ring', tenant .. ' ' .. id)
  redis.call('ZREM', prefix .. tenant .. ':endings', id)
  redis.call('UNLINK', key)
end
`

/** A call to record, as texts. */
export interface CallRecording {
  readonly tenant: string
  readonly begins: boolean
  readonly ends: boolean
  readonly at: string
  /** JSON. */
  readonly call: string
  /** JSON; empty for none. */
  readonly trace: string
  readonly maxFlows: number
  readonly maxCharacters: number
  readonly correlationIds: readonly string[]
  readonly issuedIds: readonly string[]
  /** Names and values (JSON) of the fields of the flow, in turns. */
  readonly facts: readonly string[]
}

/**
 * Records a call in the journal whose keys begin with `prefix`. The reply is the id of the flow, whether the flow began or
 * ended, and its kind (JSON); `undefined` when the call belongs to no flow and begins none.
 */
export const recordCall = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${DROP}
local prefix, tenant = KEYS[1], ARGV[1]
local begins, ends, at, call, trace = ARGV[2] == '1', ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local maxFlows, maxCharacters = tonumber(ARGV[7]), tonumber(ARGV[8])
local place = 9
local function list()
  local items, length = {}, tonumber(ARGV[place])
  for i = 1, length do items[i] = ARGV[place + i] end
  place = place + length + 1
  return items
end
local correlationIds = list()
local issuedIds = list()
local facts = list()

local identifiers = prefix .. tenant .. ':identifiers'
local id
for _, identifier in ipairs(correlationIds) do
  id = id or redis.call('HGET', identifiers, identifier)
end
local found = id and true or false
if not found and not begins then return false end

if not found then
  local count = redis.call('HINCRBY', prefix .. 'counts', tenant, 1)
  id = 'f' .. count
  redis.call('ZADD', prefix .. tenant .. ':flows', count, id)
  redis.call('ZADD', prefix .. 'ring', redis.call('INCR', prefix .. 'order'), tenant .. ' ' .. id)
  redis.call('HSET', prefix .. tenant .. ':' .. id, 'started_at', at)
end

local key = prefix .. tenant .. ':' .. id
for i = 1, #facts, 2 do
  -- A token or upgrade call keeps its flow what it was.
  if not (found and facts[i] == 'f:flow') then redis.call('HSET', key, facts[i], facts[i + 1]) end
end
local size = #call + #trace
if trace ~= '' then redis.call('HSET', key, 'trace', trace) end
redis.call('HSET', key, 'c:' .. redis.call('HINCRBY', key, 'calls', 1), call)
redis.call('HINCRBY', key, 'size', size)
for _, identifier in ipairs(issuedIds) do
  redis.call('HSET', key, 'i:' .. identifier, '')
  redis.call('HSET', identifiers, identifier, id)
end
local hasEnded = ends and redis.call('HSETNX', key, 'ended_at', at) == 1
if hasEnded then
  redis.call('ZADD', prefix .. tenant .. ':endings', redis.call('INCR', prefix .. 'order'), id)
end

local total = redis.call('INCRBY', prefix .. 'size', size)
while total > maxCharacters or redis.call('ZCARD', prefix .. 'ring') > maxFlows do
  local oldest = redis.call('ZRANGE', prefix .. 'ring', 0, 0)[1]
  if not oldest then break end
  drop(prefix, string.match(oldest, '^(%S+) (%S+)$'))
  total = tonumber(redis.call('GET', prefix .. 'size'))
end
return { id, (hasEnded or not found) and 1 or 0, redis.call('HGET', key, 'f:flow') }
`,
  parseCommand(parser: CommandParser, prefix: string, recording: CallRecording) {
    const { tenant, begins, ends, at, call, trace, maxFlows, maxCharacters } = recording
    parser.pushKey(prefix)
    parser.push(tenant, begins ? '1' : '0', ends ? '1' : '0', at, call, trace, String(maxFlows), String(maxCharacters))
    for (const texts of [recording.correlationIds, recording.issuedIds, recording.facts]) {
      parser.push(String(texts.length), ...texts)
    }
  },
  transformReply: (reply: [id: string, hasNews: number, kind: string] | null) =>
    reply === null ? undefined : { id: reply[0], hasNews: reply[1] === 1, kind: reply[2] },
})

/** Removes the flows of a tenant; its count goes on, so that ids stay in order. */
export const clearFlows = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${DROP}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. ARGV[1] .. ':flows', 0, -1)) do drop(KEYS[1], ARGV[1], id) end
return true
`,
  parseCommand(parser: CommandParser, prefix: string, tenant: string) {
    parser.pushKey(prefix)
    parser.push(tenant)
  },
  transformReply() {},
})
