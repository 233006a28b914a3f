-- wrk: sends the requests of a file, whole and all of one length, one after the other; ends when all were sent.
-- Arguments: requests=FILE length=BYTES count=REQUESTS first=N
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local records = require("records")

local options, record, number, finish

function init(arguments)
    options = records.options(arguments)
    record = records.open(options.requests, options.length, options.count)
    number = options.first
    finish = records.ending()
end

function request()
    local index = math.min(number, options.count - 1)
    if number == options.count then finish() end
    number = number + 1
    return record(index)
end

function done(summary, latency)
    records.report(summary, latency)
end
