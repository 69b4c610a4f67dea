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
 * Adds hits of a day. Arguments: the day, how many, and how many of the total came on it already. Answers with the new
 * total.
 */
export const ADD = `${COMMON}
local day, amount, already = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return no_counter() end
if total + amount > MAX_HITS then return redis.error_reply('ERR counter is full') end
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
 * Sets a counter. Arguments: the mode, the day, the total, then either nothing, and the known days stay, or the ledger that
 * the days have beside a total of 0 and each of their years with its text. Answers with a snapshot from before.
 */
export const SET = `${COMMON}
-- The larger number of each day; both begin with the same one.
local function larger(one, other)
  local list, at = {}, 0
  for number in string.gmatch(one, '%d+') do list[#list + 1] = number end
  for number in string.gmatch(other, '%d+') do
    at = at + 1
    if tonumber(number) > tonumber(list[at] or -1) then list[at] = number end
  end
  return #list > 0 and ' ' .. table.concat(list, ' ') or ''
end

local function larger_year(one, other)
  local last, hits = string.match(one, '^(%d+)(.*)$')
  local other_last, other_hits = string.match(other, '^(%d+)(.*)$')
  local later = math.max(last, other_last)
  return text(later) ..
    larger(string.rep(' 0', later - last) .. hits, string.rep(' 0', later - other_last) .. other_hits)
end

local function earlier(one, other)
  if one == '-' or other == '-' then return one == '-' and other or one end
  return text(math.min(one, other))
end

-- The years that stand in a list from a place on, each with its text.
local function years_in(list, from)
  local years = {}
  for at = from, #list, 2 do years[list[at]] = list[at + 1] end
  return years
end

-- The parts of a ledger once a day is open; a year that this ends goes to the others.
local function parts_at(day, ledger, total, years)
  local over, ended
  ledger, over, ended = opened(ledger, total, day)
  if over then years[text(over)] = ended end
  return string.match(ledger, LEDGER)
end

local function last_day(ledger) return tonumber(string.match(ledger, '^%d+') or 0) end

local mode, today, hits, given = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local key, ledger_key = KEYS[1], KEYS[2]
local held = snapshot(key, ledger_key)
local total, ledger = total_of(held[1]), held[2] or ''
if not total then return no_counter() end
local after = mode == 'max' and math.max(hits, total) or hits
local known, years = years_in(held, 3), years_in(ARGV, 5)
local day = math.max(today, last_day(ledger), last_day(given or ''))

local last, opening, first, before
if not given then
  last, opening, first, before = parts_at(day, ledger, total, years)
  opening = after - math.max(0, total - opening)
else
  last, opening, first, before = parts_at(day, given, 0, years)
  if mode == 'max' then
    local _, was, was_first, was_before = parts_at(day, ledger, total, known)
    opening = -math.max(-opening, total - was)
    first, before = earlier(first, was_first), larger(was_before, before)
    for year, was_hits in pairs(known) do
      years[year] = years[year] and larger_year(was_hits, years[year]) or was_hits
    end
  else
    for year in pairs(known) do redis.call('DEL', year_key(ledger_key, year)) end
  end
  opening = after + opening
end
for year, hits_of_year in pairs(years) do redis.call('SET', year_key(ledger_key, year), hits_of_year) end
redis.call('SET', ledger_key, last .. ' ' .. text(opening) .. ' ' .. first .. before)
redis.call('SET', key, text(after), 'KEEPTTL')
return held
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
redis.call('SET', KEYS[2], ARGV[1] .. ' 0 x', 'EX', 172800)
redis.call('DEL', KEYS[1])
return held
`;
