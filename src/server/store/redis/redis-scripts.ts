import { type CommandParser, defineScript } from '@redis/client'
import {
  AUDIT_SHARE,
  type JournalBudget,
  type JournalEntry,
  MAX_FLOW_CALLS,
  MAX_FLOW_CHARACTERS,
  MAX_SEEN_BYTES,
  MAX_SEEN_TENANTS,
  NO_ROOM,
  type SeenName,
} from '../../../sandbox/journal/journal.ts'
import { ROOT_TENANT } from '../../../sandbox/tenants/tenants.ts'

/**
 * A change for `writeChanges` as eight texts. Keys are complete except `records`, to which the
 * script appends the id.
 */
export type ChangeTexts =
  | readonly [
      'put',
      records: string,
      id: string,
      text: string,
      collections: string,
      index: string,
      keptMs: string,
      limit: string,
    ]
  | readonly ['take', records: string, id: string, '', '', index: string, '', '']
  | readonly [
      'row',
      table: string,
      id: string,
      text: string,
      names: string,
      unless: 'never' | 'changed',
      was: string,
      '',
    ]

/**
 * Writes all changes, or none if a record to take is missing, or a row differs from `was` (its
 * content without its place; empty for an absent row).
 *
 * A put adds its record to the sorted set `index`, ordered by the counter `order`, and the index to
 * the set `collections`. The oldest records beyond `limit` are removed. A row with an empty text is
 * removed; a new row gets a place, and its table is added to `names`.
 */
export const writeChanges = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local width = 8
local function contentOf(row)
  return row and string.sub(row, string.find(row, ':', 1, true) + 1) or ''
end
for i = 1, #ARGV, width do
  local kind, key, id = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == 'take' and redis.call('EXISTS', key .. id) == 0 then return 0 end
  if kind == 'row' and ARGV[i + 5] == 'changed' and contentOf(redis.call('HGET', key, id)) ~= ARGV[i + 6] then
    return 0
  end
end
for i = 1, #ARGV, width do
  local kind, key, id, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if kind == 'put' then
    local collections, index, kept, limit = ARGV[i + 4], ARGV[i + 5], tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7])
    redis.call('SET', key .. id, text, 'PX', kept)
    redis.call('ZADD', index, redis.call('INCR', KEYS[1]), id)
    if redis.call('PTTL', index) < kept then redis.call('PEXPIRE', index, kept) end
    redis.call('SADD', collections, index .. ' ' .. key)
    while redis.call('ZCARD', index) > limit do
      redis.call('UNLINK', key .. redis.call('ZPOPMIN', index)[1])
    end
  elseif kind == 'take' then
    redis.call('ZREM', ARGV[i + 5], id)
    redis.call('UNLINK', key .. id)
  elseif text == '' then
    redis.call('HDEL', key, id)
  else
    local row = redis.call('HGET', key, id)
    local place = row and string.match(row, '^%d+') or redis.call('INCR', KEYS[1])
    redis.call('HSET', key, id, place .. ':' .. text)
    redis.call('SADD', ARGV[i + 4], key)
  end
end
return 1
`,
  parseCommand(parser: CommandParser, order: string, changes: readonly ChangeTexts[]) {
    parser.pushKey(order)
    for (const texts of changes) parser.push(...texts)
  },
  transformReply: (written: 0 | 1) => written === 1,
})

/** Removes the records of all collections in the set `collections`. */
export const clearRecords = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
for _, collection in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local index, records = string.match(collection, '^(%S+) (%S+)$')
  for _, id in ipairs(redis.call('ZRANGE', index, 0, -1)) do redis.call('UNLINK', records .. id) end
  redis.call('UNLINK', index)
end
return redis.call('UNLINK', KEYS[1])
`,
  parseCommand(parser: CommandParser, collections: string) {
    parser.pushKey(collections)
  },
  transformReply() {},
})

/** Removes all tables in the set `names`. */
export const clearTables = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
for _, table in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('UNLINK', table) end
return redis.call('UNLINK', KEYS[1])
`,
  parseCommand(parser: CommandParser, names: string) {
    parser.pushKey(names)
  },
  transformReply() {},
})

/**
 * Makes a tenant the most recently used one of its kind (touched or declared). `declares` makes it
 * a declared tenant. Tenants beyond `max` move to the set `leaving`. The reply names the moved
 * tenants, and one tenant that was in the set before.
 */
export const useTenant = defineScript({
  NUMBER_OF_KEYS: 4,
  SCRIPT: `
local names, leaving = KEYS[1], KEYS[4]
if ARGV[3] == 'declare' then redis.call('ZREM', KEYS[1], ARGV[1]) end
if ARGV[3] == 'declare' or redis.call('ZSCORE', KEYS[2], ARGV[1]) then names = KEYS[2] end
redis.call('ZADD', names, redis.call('INCR', KEYS[3]), ARGV[1])
redis.call('SREM', leaving, ARGV[1])
local gone = {}
local earlier = redis.call('SRANDMEMBER', leaving)
if earlier then gone[1] = earlier end
while redis.call('ZCARD', names) > tonumber(ARGV[2]) do
  local oldest = redis.call('ZPOPMIN', names)[1]
  redis.call('SADD', leaving, oldest)
  gone[#gone + 1] = oldest
end
return gone
`,
  parseCommand(
    parser: CommandParser,
    keys: [touched: string, declared: string, order: string, leaving: string],
    {
      name,
      declares,
      max,
    }: { readonly name: string; readonly declares: boolean; readonly max: number },
  ) {
    parser.pushKeys(keys)
    parser.push(name, String(max), declares ? 'declare' : 'touch')
  },
  transformReply: (names: string[]) => names,
})

/** Removes a flow with all keys that identify it. */
const DROP = `
-- Prefix of the keys that hold the ring and the size of this flow.
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

/**
 * Adds pairs of name and text to what the clients of a tenant have seen. The field `bytes` counts
 * them.
 */
const ADD_SEEN = `
local function addTo(key, seen)
  for i = 1, #seen, 2 do
    if redis.call('HEXISTS', key, seen[i]) == 0 then
      local bytes = tonumber(redis.call('HGET', key, 'bytes') or '0') + #seen[i] + #seen[i + 1]
      if bytes > ${MAX_SEEN_BYTES} then redis.call('HSET', key, '${NO_ROOM}', '')
      else redis.call('HSET', key, seen[i], seen[i + 1], 'bytes', bytes) end
    end
  end
end
local function addSeen(prefix, tenant, seen)
  if #seen == 0 then return end
  addTo(prefix .. '${ROOT_TENANT}:seen', seen)
  if tenant == '${ROOT_TENANT}' then return end
  addTo(prefix .. tenant .. ':seen', seen)
  redis.call('ZADD', prefix .. 'seen', redis.call('INCR', prefix .. 'order'), tenant)
  while redis.call('ZCARD', prefix .. 'seen') >= ${MAX_SEEN_TENANTS} do
    redis.call('UNLINK', prefix .. redis.call('ZPOPMIN', prefix .. 'seen')[1] .. ':seen')
  end
end
`

/** Records what the clients of a tenant have seen in calls outside any flow. */
export const addSeenScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${ADD_SEEN}
local seen = {}
for i = 2, #ARGV do seen[i - 1] = ARGV[i] end
addSeen(KEYS[1], ARGV[1], seen)
return true
`,
  parseCommand(parser: CommandParser, prefix: string, tenant: string, seen: readonly SeenName[]) {
    parser.pushKey(prefix)
    parser.push(tenant, ...seen.flat())
  },
  transformReply() {},
})

/** Removes what the clients of a tenant have seen; for the root tenant, of all tenants. */
export const clearSeenScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local prefix, tenant = KEYS[1], ARGV[1]
redis.call('UNLINK', prefix .. tenant .. ':seen')
redis.call('ZREM', prefix .. 'seen', tenant)
if tenant ~= '${ROOT_TENANT}' then return true end
for _, other in ipairs(redis.call('ZRANGE', prefix .. 'seen', 0, -1)) do
  redis.call('UNLINK', prefix .. other .. ':seen')
end
redis.call('UNLINK', prefix .. 'seen')
return true
`,
  parseCommand(parser: CommandParser, prefix: string, tenant: string) {
    parser.pushKey(prefix)
    parser.push(tenant)
  },
  transformReply() {},
})

/**
 * Records a call in the journal with the keys below `prefix`. The reply holds the id of the flow,
 * whether the flow began or ended, and its kind as JSON; `undefined` when the call belongs to no
 * flow and begins none.
 */
export const recordCallScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${DROP}${ADD_SEEN}
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
local seen = list()

local identifiers = prefix .. tenant .. ':identifiers'
local id
if assigned ~= '' and redis.call('EXISTS', prefix .. tenant .. ':' .. assigned) == 1 then id = assigned end
for _, identifier in ipairs(correlationIds) do
  id = id or redis.call('HGET', identifiers, identifier)
end
local found = id and true or false
if not found and not begins then
  addSeen(prefix, tenant, seen)
  return false
end

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
-- Only these two functions change fields of a flow, so that growth counts all characters.
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
  -- A token or upgrade call does not change the kind of its flow.
  if not (found and facts[i] == 'f:flow') then put(facts[i], facts[i + 1]) end
end
local ring = ringOf(key)
if ring == '' then addSeen(prefix, tenant, seen) end
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
  -- The first identifier stays: in a Create flow it is the request_uri.
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

-- Read first, because the loop below may drop the flow itself.
local kind = redis.call('HGET', key, 'f:flow')
local share = ring == '' and 1 or ${AUDIT_SHARE}
local total = redis.call('INCRBY', prefix .. ring .. 'size', growth)
while total > maxCharacters * share or redis.call('ZCARD', prefix .. ring .. 'ring') > maxFlows * share do
  local oldest = redis.call('ZRANGE', prefix .. ring .. 'ring', 0, 0)[1]
  if not oldest then break end
  drop(prefix, string.match(oldest, '^(%S+) (%S+)$'))
  total = tonumber(redis.call('GET', prefix .. ring .. 'size'))
end
return { id, (hasEnded or not found) and 1 or 0, kind }
`,
  parseCommand(
    parser: CommandParser,
    prefix: string,
    tenant: string,
    entry: JournalEntry,
    budget: Required<JournalBudget>,
  ) {
    const {
      correlationIds,
      issuedIds,
      assigned = '',
      facts,
      evaluation,
      begins,
      ends,
      call,
      seen,
    } = entry
    const { maxFlows, maxCharacters } = budget
    const known = Object.entries(facts).filter(([, value]) => value !== undefined)
    const fields = known.flatMap(([name, value]) => [`f:${name}`, JSON.stringify(value)])
    parser.pushKey(prefix)
    parser.push(tenant, begins ? '1' : '0', ends ? '1' : '0', call.at, JSON.stringify(call))
    parser.push(evaluation === undefined ? '' : JSON.stringify(evaluation))
    parser.push(
      ...[maxFlows, maxCharacters, MAX_FLOW_CALLS, MAX_FLOW_CHARACTERS].map(String),
      assigned,
    )
    for (const texts of [correlationIds, issuedIds, fields, seen.flat()])
      parser.push(String(texts.length), ...texts)
  },
  transformReply: (reply: [id: string, hasNews: number, kind: string] | null) =>
    reply === null ? undefined : { id: reply[0], hasNews: reply[1] === 1, kind: reply[2] },
})

/** Removes the flows of a tenant. Its flow counter stays, unless the tenant is forgotten. */
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
