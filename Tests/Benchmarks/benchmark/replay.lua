-- wrk script: sends the complete requests of a file, all of equal length, one after the other; ends after the last one.
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
