-- wrk: sends the requests of a file, whole and all of one length, one after the other; stops when all were sent.
-- Arguments: requests=FILE length=BYTES count=REQUESTS first=N
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local records = require("records")

local options, record, number

function init(arguments)
    options = records.options(arguments)
    record = records.open(options.requests, options.length, options.count)
    number = options.first
end

function request()
    local index = math.min(number, options.count - 1)
    if number == options.count then wrk.thread:stop() end
    number = number + 1
    return record(index)
end

function done(summary, latency)
    records.report(summary, latency)
end
