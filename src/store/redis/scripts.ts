/**
 * What Redis carries out in one step, as Lua.
 *
 * Every script is given a counter's key and that of its ledger. Nothing is written before all has been looked at: an error
 * means that nothing was changed. See `ledger_text.ts` for the texts.
 */
export const COMMON = `
local MAX_HITS = 9007199254740991
local LEDGER = '^(%d+) (%-?%d+) (%S+)(.*)$'

local function text(number) return string.format('%.0f', number) end

-- The calendar year of a day, until 2099.
local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end

local function year_key(ledger, year) return (string.gsub(ledger, '}days', '}days' .. year, 1)) end

-- The number that a text holds; nil where that is no counter.
local function total_of(held)
  held = held or '0'
  if held ~= '0' and not string.match(held, '^[1-9]%d*$') then return nil end
  if #held > 16 or tonumber(held) > MAX_HITS then return nil end
  return tonumber(held)
end

local function no_counter() return redis.error_reply('ERR value is not an integer or out of range') end

-- A ledger once a day is open, at the total so far; and the year that this ends, with its text.
local function opened(ledger, total, day)
  local last, opening, first, before = string.match(ledger, LEDGER)
  if not last then return text(day) .. ' ' .. text(total) .. ' -' end
  if first == 'x' then first = '-' end
  local over, ended
  if tonumber(last) < day then
    local hits = ' ' .. text(math.max(0, total - opening))
    if year_of(last) == year_of(day) then
      before = string.rep(' 0', day - last - 1) .. hits .. before
    else
      over, ended = year_of(last), last .. hits .. before
      if first == '-' then first = over end
      before = ''
    end
    last, opening = text(day), text(total)
  end
  return last .. ' ' .. opening .. ' ' .. first .. before, over, ended
end

local function open(key, total, day)
  local held = redis.call('GET', key) or ''
  local ledger, over, ended = opened(held, total, day)
  if over then redis.call('SET', year_key(key, over), ended) end
  if ledger ~= held then redis.call('SET', key, ledger) end
end

-- All that is held of a counter: total, ledger, and each year with its text.
local function snapshot(key, ledger)
  local held = { redis.call('GET', key), redis.call('GET', ledger) }
  local last, first = string.match(held[2] or '', '^(%d+) %-?%d+ (%d+)')
  for year = first or 0, last and year_of(last) - 1 or -1 do
    local hits = redis.call('GET', year_key(ledger, year))
    if hits then
      held[#held + 1] = text(year)
      held[#held + 1] = hits
    end
  end
  return held
end
`;

/**
 * Adds hits of a day. Arguments: the day, how many, and how many of the total came already while a day was taken to be
 * open, which then stays the day that is. Answers with the new total.
 */
export const ADD = `${COMMON}
local day, amount, already = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return no_counter() end
if total + amount > MAX_HITS then return redis.error_reply('ERR counter is full') end
if already > 0 then day = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or day end
open(KEYS[2], total - already, day)
return redis.call('INCRBY', KEYS[1], ARGV[2])
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
 * Removes a counter. Argument: the day. Answers with a snapshot from before.
 *
 * Another process may know that the day is open and add to the counter without a look at the ledger: for as long as
 * that may be, one is left that takes those hits.
 */
export const DELETE = `${COMMON}
local held = snapshot(KEYS[1], KEYS[2])
if not total_of(held[1]) then return no_counter() end
if not held[1] and not held[2] then return held end
for at = 3, #held, 2 do redis.call('DEL', year_key(KEYS[2], held[at])) end
-- In this order: once something was removed, a Redis that is out of memory takes the rest.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[1] .. ' 0 x', 'EX', 172800)
return held
`;
