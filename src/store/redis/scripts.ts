import { LAST_DAY } from "../../counter/days.ts";
import { MAX_HITS } from "../../counter/store.ts";
import type { StoreLink } from "./node.ts";
import {
  type Command,
  isUnknownScript,
  OUT_OF_MEMORY,
  type Reply,
  SCRIPT_ERRORS,
} from "./reply.ts";

/** How long a counter remembers its deletion, in seconds: longer than any idempotency key that was set before it. */
export const EPOCH_SECONDS = 90_000;

/** A script and the name that Redis has for it. */
interface Script {
  readonly text: string;
  readonly sha: string;
}

/** The scripts of a store, by name. */
type Scripts = Awaited<ReturnType<typeof createScripts>>;

/**
 * Shared by all scripts. `KEYS[1]` is the total of a counter and `KEYS[2]` its ledger, see `layout.ts` for the texts.
 *
 * Redis undoes nothing if a command of a script fails. Each script therefore reads everything first. Then come the commands
 * that Redis may refuse, in a form that changes nothing. See `write` for later failures.
 */
const COMMON = `
local MAX_HITS = ${MAX_HITS}

local function text(number) return string.format('%.0f', number) end
local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end
local function related(name) return (string.gsub(KEYS[2], '}days', '}' .. name, 1)) end

-- The number that a total holds; nil if it is not a total.
local function total_of(held)
  held = held or '0'
  if held ~= '0' and not string.match(held, '^[1-9]%d*$') then return nil end
  if #held > 16 or tonumber(held) > MAX_HITS then return nil end
  return tonumber(held)
end

local function not_a_counter() return redis.error_reply('ERR ${SCRIPT_ERRORS.notACounter}') end
local function full() return redis.error_reply('ERR ${SCRIPT_ERRORS.full}') end

local is_changed = false

-- Changes something. If that fails after another change, the error says so, because the first change stays.
local function write(...)
  local reply = is_changed and redis.pcall(...) or redis.call(...)
  if type(reply) == 'table' and reply.err then error('${SCRIPT_ERRORS.partlyDone}: ' .. reply.err) end
  is_changed = true
end

-- The open day of a ledger, its total at the start, its first year and the days before; nothing if it is damaged.
local function parts_of(ledger)
  local last, start, first, before = string.match(ledger, '^(%d+) (%-?%d+) (%S+)(.*)$')
  if not last or tonumber(last) > ${LAST_DAY} or math.abs(start) > MAX_HITS then return end
  if first ~= '-' and first ~= 'x' then
    if not string.find(first, '^%d+$') or tonumber(first) < 1970 or tonumber(first) >= year_of(last) then return end
  end
  return last, start, first, before
end

-- Opens a day, as rollOverDay() does. If its hits then fail, it does no harm.
local function open(total, day)
  local held = redis.call('GET', KEYS[2]) or ''
  local last, start, first, before = parts_of(held)
  if not last then
    for year = 1970, held ~= '' and year_of(day) - 1 or 0 do redis.call('DEL', related('days' .. year)) end
    last, start, first, before = text(day), text(total), total > 0 and 'x' or '-', ''
  elseif tonumber(last) < day then
    local hits, year = ' ' .. text(math.max(0, total - start)), year_of(last)
    if first == 'x' then first = '-' end
    if year == year_of(day) then
      before = string.rep(' 0', day - last - 1) .. hits .. before
    else
      redis.call('SET', related('days' .. year), last .. hits .. before)
      first, before = first == '-' and text(year) or first, ''
    end
    last, start = text(day), text(total)
  end
  local ledger = last .. ' ' .. start .. ' ' .. first .. before
  -- One with an x may be left from a counter that was deleted, and would expire.
  if ledger ~= held or first == 'x' then redis.call('SET', KEYS[2], ledger) end
end
`;

async function createScripts() {
  return {
    /** Adds hits of a day. Arguments: the day, and the amount. Returns the new total. */
    add: await scriptOf(`
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return not_a_counter() end
if total + ARGV[2] > MAX_HITS then return full() end
open(total, tonumber(ARGV[1]))
return redis.call('INCRBY', KEYS[1], ARGV[2])
`),

    /**
     * Stores the ledger of a counter that another client deleted, and that plain hits of a process began again. Argument:
     * the day, to which all hits since belong unless the counter was set.
     */
    begin: await scriptOf(`
if not redis.call('GET', KEYS[1]) then return 0 end
local last, _, first, before = parts_of(redis.call('GET', KEYS[2]) or '')
if not last then redis.call('SET', KEYS[2], ARGV[1] .. ' 0 -')
elseif first == 'x' then redis.call('SET', KEYS[2], last .. ' 0 -' .. before) end
return 1
`),

    /**
     * Undoes an addition that left the bounds of a counter, unless the counter was set or deleted since. Argument: the
     * amount.
     */
    undoIncrement: await scriptOf(`
local total = total_of(redis.call('GET', KEYS[1]))
if total and total >= tonumber(ARGV[1]) then return total end
return redis.call('INCRBY', KEYS[1], '-' .. ARGV[1])
`),

    /**
     * Adds hits of a day that count once, in their order. Arguments: the day, for how many seconds it goes on, then of each
     * hit its idempotency key and its visitor, either of which may be empty, and 1 if a new visitor is remembered. Returns
     * the number of each hit, and 1 if it is a repeat. Idempotency keys are kept for 24 hours, visitors until the day ends.
     */
    once: await scriptOf(`
local seen, epoch_key = related('seen' .. ARGV[1]), related('epoch')
local held = redis.call('GET', KEYS[1])
local total = total_of(held)
if not total then return not_a_counter() end

local keys, visitors = {}, false
for at = 3, #ARGV, 3 do
  if ARGV[at] ~= '' then keys[#keys + 1] = ARGV[at] end
  if ARGV[at + 1] ~= '' then visitors = true end
end
local epoch = ''
local function once_key(key) return related('once' .. epoch .. ':' .. key) end
-- The names of these keys depend on what is stored, so they cannot be declared. MGET fails if one of several keys is on
-- another node, because its slot is being moved; GET would find nothing.
local function look()
  local names = { KEYS[1], visitors and seen or KEYS[2], #keys > 0 and epoch_key or nil }
  for at, key in ipairs(keys) do names[at + 3] = once_key(key) end
  return redis.call('MGET', unpack(names))
end
local found, known = look(), {}
if found[3] then
  epoch = found[3]
  found = look()
end
for at, key in ipairs(keys) do known[key] = found[at + 3] end

local amount, answers, firsts, again, new_visitors, is_new = 0, {}, {}, {}, {}, {}
for at = 3, #ARGV, 3 do
  local key, visitor = ARGV[at], ARGV[at + 1]
  if known[key] then again[key] = known[key] end
  local first = firsts[key] or again[key]
  local repeated = first
  if not first then
    repeated = visitor ~= '' and (is_new[visitor] or redis.call('SISMEMBER', seen, visitor) == 1)
    if not repeated then
      amount = amount + 1
      if visitor ~= '' and ARGV[at + 2] == '1' then
        new_visitors[#new_visitors + 1], is_new[visitor] = visitor, true
      end
    end
    first = text(total + amount)
    if key ~= '' then firsts[key] = first end
  end
  answers[#answers + 1] = first
  answers[#answers + 1] = repeated and 1 or 0
end

if total + amount > MAX_HITS then return full() end
if amount > 0 or #keys > 0 then redis.call('SET', KEYS[1], '', held and 'NX' or 'XX') end
local has_end = #new_visitors > 0 and redis.call('EXPIRE', seen, ARGV[2]) == 1
if amount > 0 then open(total, tonumber(ARGV[1])) end
if #new_visitors > 0 then write('SADD', seen, unpack(new_visitors)) end
if #new_visitors > 0 and not has_end then write('EXPIRE', seen, ARGV[2]) end
for key, first in pairs(firsts) do write('SET', once_key(key), first, 'PX', 86400000) end
if next(firsts) and epoch ~= '' then write('SET', epoch_key, epoch, 'EX', ${EPOCH_SECONDS}) end
-- Written again, so that WAIT covers this key too: its first caller may have waited in vain.
for key, first in pairs(again) do write('SET', once_key(key), first, 'KEEPTTL') end
if amount > 0 then write('INCRBY', KEYS[1], text(amount)) end
return answers
`),

    /**
     * Compares and sets the entries of a counter, and knows nothing about days. Arguments: how many hits may have arrived
     * since the total was read, then three for each key:
     * 1. the expected value: `=` and the text, `-` if there must be none, or empty if any will do
     * 2. the new value: `=` and the text, `-` to delete it, or empty to leave it
     * 3. the time to live in seconds, `KEEPTTL`, or empty for none
     *
     * In the new values, `+` after a number adds the hits that arrived, and `~` subtracts them. Returns the total before, or
     * `-` if there was none. Returns nil and changes nothing if the comparison fails.
     */
    swap: await scriptOf(`
local since, gone = 0, {}
local held_total = redis.call('GET', KEYS[1])
for at, key in ipairs(KEYS) do
  local expected = ARGV[3 * at - 1]
  local held = expected ~= '' and redis.call('GET', key)
  local found = held and '=' .. held or '-'
  if at == 1 and held and expected ~= '-' then
    local total = total_of(held)
    since = total and total - string.sub(expected, 2)
    if not since or since < 0 or since > tonumber(ARGV[1]) then return false end
  elseif expected ~= '' and found ~= expected then
    return false
  end
  if ARGV[3 * at] == '-' then gone[#gone + 1] = key end
end
-- Deletes first: a Redis that is out of memory accepts all commands of a script after the first change.
if #gone > 0 then
  local refused = redis.pcall('SET', KEYS[1], '', held_total and 'NX' or 'XX')
  if type(refused) == 'table' and refused.err and
    not (ARGV[3] == '-' and string.find(refused.err, '${OUT_OF_MEMORY}', 1, true)) then return refused end
  write('DEL', unpack(gone))
end
local function moved(number, sign) return text(sign == '+' and number + since or number - since) end
for at, key in ipairs(KEYS) do
  local value, ttl = ARGV[3 * at], ARGV[3 * at + 1]
  if string.sub(value, 1, 1) == '=' then
    value = string.gsub(string.sub(value, 2), '(%-?%d+)([+~])', moved)
    if ttl == '' then write('SET', key, value)
    elseif ttl == 'KEEPTTL' then write('SET', key, value, ttl)
    else write('SET', key, value, 'EX', ttl) end
  end
end
return held_total or '-'
`),
  };
}

async function scriptOf(own: string): Promise<Script> {
  const text = COMMON + own;
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return { text, sha: new Uint8Array(digest).toHex() };
}

/** Sends commands and scripts. */
export class RedisCommands {
  readonly #link: Pick<StoreLink, "send">;
  readonly #scripts: Scripts;

  private constructor(link: Pick<StoreLink, "send">, scripts: Scripts) {
    this.#link = link;
    this.#scripts = scripts;
  }

  static async create(link: Pick<StoreLink, "send">): Promise<RedisCommands> {
    return new RedisCommands(link, await createScripts());
  }

  /** Returns the command that calls a script by its name. */
  call(
    name: keyof Scripts,
    { keys, args }: { keys: readonly string[]; args: readonly (string | number)[] },
  ): Command {
    return ["EVALSHA", this.#scripts[name].sha, String(keys.length), ...keys, ...args.map(String)];
  }

  /** Sends commands. Sends the text of a script if Redis does not know its name: such a refusal carried nothing out. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await this.#link.send(commands);
    const texts = new Map<number, Command>();
    replies.forEach((reply, at) => {
      if (reply.kind !== "refused" || !isUnknownScript(reply.cause)) return;
      const [, sha, ...rest] = commands[at] ?? [];
      const script = Object.values(this.#scripts).find((each) => each.sha === sha);
      if (script !== undefined) texts.set(at, ["EVAL", script.text, ...rest]);
    });
    if (texts.size === 0) return replies;
    const again = (await this.#link.send([...texts.values()])).values();
    return replies.map((reply, at) => texts.has(at) ? again.next().value ?? reply : reply);
  }
}
