/**
 * What Redis carries out in one step, as Lua, given a counter's key and that of its ledger. See `ledger_text.ts` for the texts.
 *
 * A script may fail at any command, and Redis undoes nothing. So each looks at everything first; then come the commands that
 * may be refused, in a form that changes nothing; whatever fails after the first change says so, see `write`.
 */
export const COMMON = `
local MAX_HITS = 9007199254740991
-- Longer than any key of a hit that is named after it.
local EPOCH_S = 90000
-- 2099-12-31: year_of counts no further.
local LAST_DAY = 47481

local function text(number) return string.format('%.0f', number) end

local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end

local function beside(ledger, name) return (string.gsub(ledger, '}days', '}' .. name, 1)) end
local function year_key(ledger, year) return beside(ledger, 'days' .. year) end

-- The number that a text holds; nil where that is no counter.
local function total_of(held)
  held = held or '0'
  if held ~= '0' and not string.match(held, '^[1-9]%d*$') then return nil end
  if #held > 16 or tonumber(held) > MAX_HITS then return nil end
  return tonumber(held)
end

local function no_counter() return redis.error_reply('ERR value is not an integer or out of range') end

-- Fails where one of these keys is not on this node, or none can tell, as their slot is being moved. A command with a single
-- key that was not declared would find nothing there, and a node that a slot is moved to would even write it.
local function all_here(keys) redis.call('MGET', unpack(keys)) end

-- Fails where SET is not allowed, or memory is short, and changes nothing.
local function check_set(key, is_there)
  redis.call('SET', key, '', is_there and 'NX' or 'XX')
end

local is_changed = false

-- A command that changes something; where it fails after others, what the script did so far stays.
local function write(...)
  local reply = is_changed and redis.pcall(...) or redis.call(...)
  if type(reply) == 'table' and reply.err then error('PARTLY DONE: ' .. reply.err) end
  is_changed = true
end

-- The open day of a ledger, its opening, and the first year; nothing where it is out of bounds.
local function head_of(ledger)
  local last, opening, first = string.match(ledger, '^(%d+) (%-?%d+) (%S+)')
  if not last or tonumber(last) > LAST_DAY or math.abs(opening) > MAX_HITS then return end
  if first ~= '-' and first ~= 'x' then
    if not string.find(first, '^%d+$') or tonumber(first) < 1970 or tonumber(first) >= year_of(last) then return end
  end
  return last, opening, first
end

-- The hits of the days before the open one. Hot path at midnight: they are looked at only where a setting keeps them.
local function before_of(ledger) return string.match(ledger, '^%S+ %S+ %S+(.*)$') end

-- The parts of a ledger once a day is open, at the total so far; and the year that this ends, with its text.
local function opened(ledger, total, day)
  local last, opening, first = head_of(ledger)
  if not last then return text(day), text(total), total > 0 and 'x' or '-', '' end
  local before = before_of(ledger)
  if tonumber(last) >= day then return last, opening, first, before end
  if first == 'x' then first = '-' end
  local hits = ' ' .. text(math.max(0, total - opening))
  if year_of(last) == year_of(day) then
    return text(day), text(total), first, string.rep(' 0', day - last - 1) .. hits .. before
  end
  local over = year_of(last)
  return text(day), text(total), first == '-' and text(over) or first, '', over, last .. hits .. before
end

-- Opens a day, whatever becomes of its hits: these come to the same if it is open.
local function open(key, total, day)
  local held = redis.call('GET', key) or ''
  local last, opening, first, before, over, ended = opened(held, total, day)
  if over then redis.call('SET', year_key(key, over), ended) end
  local ledger = last .. ' ' .. opening .. ' ' .. first .. before
  -- One with an x may be left of a counter that was deleted, and end of itself.
  if ledger ~= held or first == 'x' then redis.call('SET', key, ledger) end
end

-- The entries that the years before the open one may have, as pairs of a year and its key.
local function years_of(ledger_key, ledger)
  local last, _, first = head_of(ledger)
  local years = {}
  for year = tonumber(first) or math.huge, last and year_of(last) - 1 or 0 do
    years[#years + 1] = { text(year), year_key(ledger_key, year) }
  end
  return years
end

-- All that is held of a counter: total, ledger, and each year with its text.
local function snapshot(key, ledger_key)
  local held = { redis.call('GET', key), redis.call('GET', ledger_key) }
  local years = years_of(ledger_key, held[2] or '')
  if #years == 0 then return held end
  local keys = { key, ledger_key }
  for at, entry in ipairs(years) do keys[at + 2] = entry[2] end
  local found = redis.call('MGET', unpack(keys))
  for at, entry in ipairs(years) do
    local hits = found[at + 2]
    if hits then
      held[#held + 1] = entry[1]
      held[#held + 1] = hits
    end
  end
  return held
end
`;

/** Adds hits of a day. Arguments: the day, and how many. Answers with the new total. */
export const ADD = `${COMMON}
local day, amount = tonumber(ARGV[1]), tonumber(ARGV[2])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return no_counter() end
if total + amount > MAX_HITS then return redis.error_reply('ERR counter is full') end
open(KEYS[2], total, day)
return redis.call('INCRBY', KEYS[1], ARGV[2])
`;

/**
 * Makes the ledger stay of a counter that began with hits of a process to which its day was open: somebody has deleted it
 * since. Argument: the day. Whatever was counted since belongs to that day, except where the counter was set.
 */
export const BEGIN = `${COMMON}
if not redis.call('GET', KEYS[1]) then return 0 end
local ledger = redis.call('GET', KEYS[2]) or ''
local last, _, first = head_of(ledger)
if not last then redis.call('SET', KEYS[2], ARGV[1] .. ' 0 -')
elseif first == 'x' then redis.call('SET', KEYS[2], last .. ' 0 -' .. before_of(ledger)) end
return 1
`;

/**
 * Undoes an addition that left the bounds of a counter, unless somebody has set or deleted the counter since. Argument: how
 * many hits it was.
 */
export const TAKE_BACK = `${COMMON}
local total = total_of(redis.call('GET', KEYS[1]))
if total and total >= tonumber(ARGV[1]) then return total end
return redis.call('INCRBY', KEYS[1], '-' .. ARGV[1])
`;

/**
 * Removes a counter with its days and marks. Arguments: the day, and a text that no other deletion is given. Answers with a
 * snapshot from before.
 *
 * Another process may know that the day is open and add to the counter without a look at the ledger: for as long as
 * that may be, one is left that takes those hits. The names of keys of hits are not known here: those that come later have
 * the text in theirs, so that the old ones, which end within a day, are never found again.
 */
export const DELETE = `${COMMON}
local held = snapshot(KEYS[1], KEYS[2])
if not total_of(held[1]) then return no_counter() end
if not held[1] and not held[2] then return held end

local epoch = beside(KEYS[2], 'epoch')
local gone = { KEYS[1] }
for _, entry in ipairs(years_of(KEYS[2], held[2] or '')) do gone[#gone + 1] = entry[2] end
for day = ARGV[1] - 1, ARGV[1] + 1 do gone[#gone + 1] = beside(KEYS[2], 'seen' .. text(day)) end
all_here({ KEYS[2], epoch, unpack(gone) })
-- A Redis that is out of memory takes it all the same, once something was removed.
local refused = redis.pcall('SET', KEYS[1], '', held[1] and 'NX' or 'XX')
if type(refused) == 'table' and refused.err and not string.find(refused.err, 'OOM', 1, true) then
  return refused
end

write('DEL', unpack(gone))
write('SET', KEYS[2], ARGV[1] .. ' 0 x', 'EX', 172800)
write('SET', epoch, ARGV[2], 'EX', EPOCH_S)
return held
`;
