-- wrk script: reads the data of random wallets by GET. It does not check each response: wrk counts statuses above 399.
-- Arguments: tokens=FILE length=BYTES count=TOKENS, and
--   paths=PATHS                 the paths to read one after the other, separated by commas
--   first=N step=N readers=N    the wallets that read: `readers` of them, every step-th from `first`
--   tags=FILE tag=BYTES         the entity tags of these wallets, for If-None-Match
--   visit=1                     a wallet reads every path before the next wallet is selected; run wrk with one thread
--                               for each connection, because the connections of a thread share this order
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local records = require("records")
local reading = require("reading")

local options, token, tag, paths
local number, reader = 0, 0
local threads = 0

-- Runs once for each thread, before its init. Threads with the same seed would select the same wallets.
function setup(thread)
    threads = threads + 1
    thread:set("seed", threads)
end

function init(arguments)
    options = records.options(arguments)
    token = records.open(options.tokens, options.length, options.count)
    if options.tags then tag = records.open(options.tags, options.tag, options.readers) end
    paths = reading.paths(options.paths)
    math.randomseed(seed)
end

function request()
    local place = number % #paths + 1
    number = number + 1
    if not options.visit or place == 1 then reader = math.random(0, options.readers - 1) end
    return reading.request(paths[place], token, options.first + reader * options.step, tag and tag(reader))
end

function done(summary, latency)
    records.report(summary, latency)
end
