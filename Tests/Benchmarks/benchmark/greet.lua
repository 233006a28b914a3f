-- wrk script: sends every token to the service once, in requests that it refuses because they have no Idempotency-Key.
-- The later measurement then finds the tokens in the cache, as for users who were active before.
-- Arguments: tokens=FILE length=BYTES count=TOKENS
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local records = require("records")

local options, token, finish
local number = 0

function init(arguments)
    options = records.options(arguments)
    token = records.open(options.tokens, options.length, options.count)
    finish = records.ending()
end

function request()
    if number == options.count - 1 then finish() end
    number = math.min(number + 1, options.count)
    return "POST /bookings HTTP/1.1\r\nHost: wallet\r\nContent-Length: 2\r\nContent-Type: application/json\r\n"
        .. "Authorization: Bearer " .. token(number - 1) .. "\r\n\r\n{}"
end

function done(summary, latency)
    records.report(summary, latency)
end
