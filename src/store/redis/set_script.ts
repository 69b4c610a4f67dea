import { COMMON } from "./scripts.ts";

/**
 * Sets a counter. Arguments: the mode, the day, the total, which is empty where it grows by as much as the days do, then
 * either nothing, and the known days stay, or the ledger that the days have beside a total of 0 and each of their years with
 * its text. Answers with a snapshot from before. Refuses what `refusalOf` refuses, which was asked already where the days
 * take the place of all.
 */
export const SET = `${COMMON}
local mode, today, hits, given = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local key, ledger_key = KEYS[1], KEYS[2]
local held = snapshot(key, ledger_key)

-- A new counter without days, as in most imports: what follows comes to the same, in twice the time.
if not held[1] and not held[2] and not given then
  redis.call('SET', ledger_key, ARGV[2] .. ' ' .. ARGV[3] .. ' -')
  redis.call('SET', key, ARGV[3])
  return held
end

local function first_day_of(year) return math.ceil((year - 1968) * 1461 / 4) - 731 end

-- The sum of a list of so many hits at most, each with a space before it; nil where it is none, or its sum not exact.
local function sum_of(numbers, most)
  local rest, count = string.gsub(numbers, ' %d+', '')
  if rest ~= '' or count > most then return nil end
  local sum = 0
  for number in string.gmatch(numbers, '%d+') do sum = sum + number end
  return sum <= MAX_HITS and sum or nil
end

local function sum_of_year(year, held)
  local last, hits = string.match(held, '^(%d+)(.*)$')
  if not last or tonumber(last) > LAST_DAY or year_of(last) ~= tonumber(year) then return nil end
  return sum_of(hits, last - first_day_of(year) + 1)
end

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
  local last, opening, first, before, over, ended = opened(ledger, total, day)
  if over then years[text(over)] = ended end
  return last, opening, first == 'x' and '-' or first, before
end

local function last_day(ledger) return tonumber((head_of(ledger))) or 0 end

local total, ledger = total_of(held[1]), held[2] or ''
if not total then return no_counter() end
local after = mode == 'max' and math.max(hits or 0, total) or hits
local known, years = years_in(held, 3), years_in(ARGV, 5)

-- What is known stays, and counts only as far as it is in bounds; with its sum.
local sum = 0
if not given or mode == 'max' then
  local last, opening = head_of(ledger)
  local of_ledger = last and sum_of(before_of(ledger), last - first_day_of(year_of(last)))
  if not of_ledger then ledger, known = '', {} else sum = of_ledger + math.max(0, total - opening) end
  for year, hits_of_year in pairs(known) do
    local of_year = sum_of_year(year, hits_of_year)
    if of_year then sum = sum + of_year else known[year] = nil end
  end
end
local day = math.max(today, last_day(ledger), last_day(given or ''))

local last, opening, first, before
if not given then
  last, opening, first, before = parts_at(day, ledger, total, years)
  opening = after - math.max(0, total - opening)
else
  last, opening, first, before = parts_at(day, given, 0, years)
  local of_today = -opening
  if mode == 'max' then
    local _, was, was_first, was_before = parts_at(day, ledger, total, known)
    of_today = math.max(of_today, total - was)
    first, before = earlier(first, was_first), larger(was_before, before)
    for year, was_hits in pairs(known) do
      years[year] = years[year] and larger_year(was_hits, years[year]) or was_hits
    end
    local was_sum = sum
    sum = of_today + (sum_of(before, math.huge) or math.huge)
    for year, hits_of_year in pairs(years) do
      sum = sum + (sum_of_year(year, hits_of_year) or math.huge)
    end
    if not hits then after = total + (sum - was_sum) end
  end
  opening = after - of_today
end
if after > MAX_HITS then return redis.error_reply('ERR counter is full') end
if sum > math.max(after, 2 ^ 52) then return redis.error_reply('ERR counter is full of days') end

local touched, gone = { key, ledger_key }, {}
for year in pairs(years) do touched[#touched + 1] = year_key(ledger_key, year) end
if given and mode ~= 'max' then
  for _, entry in ipairs(years_of(ledger_key, ledger)) do
    if not years[entry[1]] then
      touched[#touched + 1], gone[#gone + 1] = entry[2], entry[2]
    end
  end
end
all_here(touched)
check_set(key, held[1])
if #gone > 0 then write('DEL', unpack(gone)) end
for year, hits_of_year in pairs(years) do write('SET', year_key(ledger_key, year), hits_of_year) end
write('SET', ledger_key, last .. ' ' .. text(opening) .. ' ' .. first .. before)
write('SET', key, text(after), 'KEEPTTL')
return held
`;
