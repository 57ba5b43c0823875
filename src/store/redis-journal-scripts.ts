import { type CommandParser, defineScript } from '@redis/client'
import { AUDIT_SHARE, type JournalEntry, type RecordedIn } from '../sandbox/journal/journal.ts'

/** Removes a flow and every key that names it. */
const DROP = `
-- What its ring and size are called.
local function ringOf(key)
  return redis.call('HEXISTS', key, 'f:audit') == 1 and 'audited:' or ''
end
local function drop(prefix, tenant, id)
  local key = prefix .. tenant .. ':' .. id
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'i:' then
      redis.call('HDEL', prefix .. tenant .. ':identifiers', redis.call('HGET', key, field))
    end
  end
  local ring = prefix .. ringOf(key)
  redis.call('DECRBY', ring .. 'size', redis.call('HGET', key, 'size') or '0')
  redis.call('ZREM', prefix .. tenant .. ':flows', id)
  redis.call('ZREM', ring .. 'ring', tenant .. ' ' .. id)
  redis.call('SREM', prefix .. tenant .. ':audited', id)
  redis.call('ZREM', prefix .. tenant .. ':endings', id)
  redis.call('UNLINK', key)
end
`

/** A call to record, as texts. */
export interface CallRecording {
  readonly tenant: string
  /** The id of a flow that was given to the call before; empty for none. */
  readonly assigned: string
  readonly begins: boolean
  readonly ends: boolean
  readonly at: string
  /** JSON. */
  readonly call: string
  /** JSON; empty for none. */
  readonly evaluation: string
  readonly maxFlows: number
  readonly maxCharacters: number
  /** Of one flow. */
  readonly maxCalls: number
  readonly maxCallCharacters: number
  readonly correlationIds: readonly string[]
  readonly issuedIds: readonly string[]
  /** Names and values (JSON) of the fields of the flow, in turns. */
  readonly facts: readonly string[]
}

/** A call without the limits of the journal. */
export function recordingOf(
  tenant: string,
  { correlationIds, issuedIds, assigned = '', facts, evaluation, begins, ends, call }: JournalEntry,
): Omit<CallRecording, 'maxFlows' | 'maxCharacters' | 'maxCalls' | 'maxCallCharacters'> {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  return {
    tenant,
    assigned,
    begins,
    ends,
    at: call.at,
    call: JSON.stringify(call),
    evaluation: evaluation === undefined ? '' : JSON.stringify(evaluation),
    correlationIds,
    issuedIds,
    facts: known.flatMap(([name, value]) => [`f:${name}`, JSON.stringify(value)]),
  }
}

/**
 * Records a call in the journal whose keys begin with `prefix`. The reply is the id of the flow, whether the flow began or
 * ended, its kind (JSON), and whether it is one of an audit; `undefined` when the call belongs to no flow and begins none.
 */
export const recordCallScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${DROP}
local prefix, tenant = KEYS[1], ARGV[1]
local begins, ends, at, call, evaluation = ARGV[2] == '1', ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local maxFlows, maxCharacters = tonumber(ARGV[7]), tonumber(ARGV[8])
local maxCalls, maxCallCharacters = tonumber(ARGV[9]), tonumber(ARGV[10])
local assigned = ARGV[11]
local place = 12
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
if assigned ~= '' and redis.call('EXISTS', prefix .. tenant .. ':' .. assigned) == 1 then id = assigned end
for _, identifier in ipairs(correlationIds) do
  id = id or redis.call('HGET', identifiers, identifier)
end
local found = id and true or false
if not found and not begins then return false end

if not found then
  local count
  if assigned == '' then count = redis.call('HINCRBY', prefix .. 'counts', tenant, 1)
  else count = tonumber(string.sub(assigned, 2)) end
  -- The tenant may have been forgotten since the id was assigned.
  if count > tonumber(redis.call('HGET', prefix .. 'counts', tenant) or '0') then
    redis.call('HSET', prefix .. 'counts', tenant, count)
  end
  id = 'f' .. count
  redis.call('ZADD', prefix .. tenant .. ':flows', count, id)
  redis.call('HSET', prefix .. tenant .. ':' .. id, 'started_at', at)
end

local key = prefix .. tenant .. ':' .. id
-- Whatever is kept of a flow is put and removed by these two, which count it.
local growth = 0
local function remove(field)
  growth = growth - redis.call('HSTRLEN', key, field)
  redis.call('HDEL', key, field)
end
local function put(field, value)
  remove(field)
  growth = growth + #value
  redis.call('HSET', key, field, value)
end

local before = ringOf(key)
for i = 1, #facts, 2 do
  -- A token or upgrade call keeps its flow what it was.
  if not (found and facts[i] == 'f:flow') then put(facts[i], facts[i + 1]) end
end
local ring = ringOf(key)
local audit = ring ~= '' and (found and ring ~= before and 'late' or 'marked') or nil
if ring ~= before or not found then
  local size = redis.call('HGET', key, 'size') or '0'
  redis.call('DECRBY', prefix .. before .. 'size', size)
  redis.call('INCRBY', prefix .. ring .. 'size', size)
  redis.call('ZREM', prefix .. before .. 'ring', tenant .. ' ' .. id)
  redis.call('ZADD', prefix .. ring .. 'ring', redis.call('INCR', prefix .. 'order'), tenant .. ' ' .. id)
  if ring ~= '' then redis.call('SADD', prefix .. tenant .. ':audited', id) end
end
if evaluation ~= '' then put('evaluation', evaluation) end

local calls = redis.call('HINCRBY', key, 'calls', 1)
put('c:' .. calls, call)
local characters = redis.call('HINCRBY', key, 'characters', #call)
local dropped = tonumber(redis.call('HGET', key, 'dropped') or '0')
while calls - dropped > maxCalls or (calls - dropped > 1 and characters > maxCallCharacters) do
  dropped = dropped + 1
  local oldest = 'c:' .. dropped
  characters = redis.call('HINCRBY', key, 'characters', -redis.call('HSTRLEN', key, oldest))
  remove(oldest)
  redis.call('HSET', key, 'dropped', dropped)
end

for _, identifier in ipairs(issuedIds) do
  local issued = redis.call('HINCRBY', key, 'issued', 1)
  put('i:' .. issued, identifier)
  redis.call('HSET', identifiers, identifier, id)
  -- The first one stays: of a Create flow it is the request_uri.
  if issued > maxCalls then
    local oldest = 'i:' .. (issued - maxCalls + 1)
    redis.call('HDEL', identifiers, redis.call('HGET', key, oldest))
    remove(oldest)
  end
end
redis.call('HINCRBY', key, 'size', growth)
local hasEnded = ends and redis.call('HSETNX', key, 'ended_at', at) == 1
if hasEnded then
  redis.call('ZADD', prefix .. tenant .. ':endings', redis.call('INCR', prefix .. 'order'), id)
end

-- Read before the flow itself may have to go.
local kind = redis.call('HGET', key, 'f:flow')
local share = ring == '' and 1 or ${AUDIT_SHARE}
local total = redis.call('INCRBY', prefix .. ring .. 'size', growth)
while total > maxCharacters * share or redis.call('ZCARD', prefix .. ring .. 'ring') > maxFlows * share do
  local oldest = redis.call('ZRANGE', prefix .. ring .. 'ring', 0, 0)[1]
  if not oldest then break end
  drop(prefix, string.match(oldest, '^(%S+) (%S+)$'))
  total = tonumber(redis.call('GET', prefix .. ring .. 'size'))
end
return { id, (hasEnded or not found) and 1 or 0, kind, audit }
`,
  parseCommand(parser: CommandParser, prefix: string, recording: CallRecording) {
    const { tenant, assigned, begins, ends, at, call, evaluation } = recording
    const { maxFlows, maxCharacters, maxCalls, maxCallCharacters } = recording
    parser.pushKey(prefix)
    parser.push(tenant, begins ? '1' : '0', ends ? '1' : '0', at, call, evaluation)
    parser.push(...[maxFlows, maxCharacters, maxCalls, maxCallCharacters].map(String), assigned)
    for (const texts of [recording.correlationIds, recording.issuedIds, recording.facts]) {
      parser.push(String(texts.length), ...texts)
    }
  },
  transformReply: (reply: [id: string, hasNews: number, kind: string, audit?: RecordedIn['audit']] | null) =>
    reply === null ? undefined : { id: reply[0], hasNews: reply[1] === 1, kind: reply[2], audit: reply[3] },
})

/** Removes the flows of a tenant; its count goes on unless it is to be forgotten. */
export const clearFlows = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${DROP}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. ARGV[1] .. ':flows', 0, -1)) do drop(KEYS[1], ARGV[1], id) end
if ARGV[2] == 'forget' then redis.call('HDEL', KEYS[1] .. 'counts', ARGV[1]) end
return true
`,
  parseCommand(parser: CommandParser, prefix: string, tenant: string, what: 'clear' | 'forget') {
    parser.pushKey(prefix)
    parser.push(tenant, what)
  },
  transformReply() {},
})
