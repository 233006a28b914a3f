-- Books classes with wrk, a closed loop: each connection sends as soon as it was answered.
--
--   wrk -t2 -c64 -d10s -s deploy/load/book.lua http://127.0.0.1:8080 -- TOKENS CLASSES
--
-- TOKENS holds a token a line, each of another user; CLASSES a class id a line. No user books a class twice within a
-- run, until everybody has booked everything (409 already-booked from then on); from run to run the users begin with
-- other classes. With another number of threads than -t2, say it once more behind the files.

local threads = {}
counts = {}

function setup(thread)
    thread:set("id", #threads)
    table.insert(threads, thread)
end

local function lines(file)
    local found = {}
    for line in io.lines(file) do
        if line ~= "" then found[#found + 1] = line end
    end
    assert(#found > 0, file .. " is empty")
    return found
end

function init(args)
    assert(#args >= 2, "give the files of tokens and of class ids after --")
    local shares = tonumber(args[3] or 2)
    assert(id < shares, "more threads than said: say their number behind the files")
    -- No two threads book for the same user.
    local all = lines(args[1])
    tokens = {}
    for index = id + 1, #all, shares do tokens[#tokens + 1] = all[index] end
    assert(#tokens > 0, "fewer tokens than threads")
    classes = lines(args[2])
    math.randomseed(os.time())
    first = math.random(#classes)
    prefix = string.format("wrk-%d-%d-%d-", os.time(), math.random(1e6), id)
    number = 0
end

function request()
    local user = number % #tokens
    local class = (first + user + math.floor(number / #tokens)) % #classes
    number = number + 1
    return wrk.format("POST", "/bookings", {
        ["Authorization"] = "Bearer " .. tokens[user + 1],
        ["Idempotency-Key"] = prefix .. number,
        ["Content-Type"] = "application/json",
    }, '{"class_id":"' .. classes[class + 1] .. '"}')
end

function response(status)
    counts[status] = (counts[status] or 0) + 1
end

function done(summary, latency)
    local total = {}
    for _, thread in ipairs(threads) do
        for status, count in pairs(thread:get("counts")) do total[status] = (total[status] or 0) + count end
    end
    for status, count in pairs(total) do print(string.format("  answered %d: %d", status, count)) end
    for _, percentile in ipairs({50, 90, 95, 99, 99.9}) do
        print(string.format("  p%-5g %8.2f ms", percentile, latency:percentile(percentile) / 1000))
    end
    print(string.format("bookings: %d, %.0f/s", total[201] or 0, (total[201] or 0) / summary.duration * 1e6))
end
