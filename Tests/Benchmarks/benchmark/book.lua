-- wrk script: books by POST /bookings, each time with a new key. It does not check each response: wrk counts statuses
-- above 399, and the database has the number of bookings.
-- Arguments: tokens=FILE length=BYTES count=TOKENS wallets=N classes=N run=TEXT first=N, and shape, one of
--   any    any wallet books any class, but no wallet books a class twice; `first` is the first class
--   solo   wallet `first` alone books one class after the other
--   crowd  one wallet after the other books class `first`, and the next class once all have booked
-- With reads=N and paths=PATHS, N reads of any wallet precede each booking.
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local records = require("records")
local reading = require("reading")
local ffi = require("ffi")

local options, token, pick, paths
local number, turn = 0, 0
local head = "POST /bookings HTTP/1.1\r\nHost: wallet\r\nContent-Type: application/json\r\nContent-Length: "

local shapes = {}

function shapes.any()
    local booked = ffi.new("int32_t[?]", options.wallets)
    math.randomseed(options.first + 1)
    return function()
        local wallet = math.random(0, options.wallets - 1)
        booked[wallet] = booked[wallet] + 1
        return wallet, (wallet * 7 + options.first + booked[wallet] - 1) % options.classes
    end
end

function shapes.solo()
    return function() return options.first, number end
end

function shapes.crowd()
    return function() return number % options.wallets, options.first + math.floor(number / options.wallets) end
end

local prefixes = { any = "class", solo = "solo", crowd = "crowd" }

function init(arguments)
    options = records.options(arguments)
    token = records.open(options.tokens, options.length, options.count)
    pick = shapes[options.shape]()
    paths = reading.paths(options.paths or "")
    local body = '{"class_id":"' .. prefixes[options.shape] .. '-000000"}'
    head = head .. #body .. "\r\nAuthorization: Bearer "
end

function request()
    turn = turn + 1
    if options.reads and turn % (options.reads + 1) ~= 0 then
        return reading.request(paths[turn % #paths + 1], token, math.random(0, options.wallets - 1))
    end
    local wallet, class = pick()
    number = number + 1
    return head .. token(wallet) .. "\r\nIdempotency-Key: " .. options.run .. "-" .. number
        .. string.format('\r\n\r\n{"class_id":"%s-%06d"}', prefixes[options.shape], class)
end

function done(summary, latency)
    records.report(summary, latency)
end
