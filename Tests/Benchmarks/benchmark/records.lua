-- A file of records of equal length, mapped into memory without a copy in Lua, whatever its size.
local ffi = require("ffi")
ffi.cdef [[
    int open(const char *path, int flags, ...);
    void *mmap(void *address, size_t length, int protection, int flags, int file, long offset);
    unsigned long pthread_self(void);
    int pthread_kill(unsigned long thread, int signal);
]]

local records = {}

function records.open(path, length, count)
    local file = ffi.C.open(path, 0)
    assert(file >= 0, "cannot open " .. path)
    local bytes = ffi.C.mmap(nil, length * count, 1, 2, file, 0)
    assert(ffi.cast("intptr_t", bytes) ~= -1, "cannot map " .. path)
    bytes = ffi.cast("const char *", bytes)
    return function(index) return ffi.string(bytes + index * length, length) end
end

-- Creates a function that ends the measurement early. Call this in init: wrk's main thread sleeps until its time is
-- over or SIGINT wakes it.
function records.ending()
    local main = ffi.C.pthread_self()
    return function() ffi.C.pthread_kill(main, 2) end
end

-- Parses arguments of the form name=value, which follow wrk's own.
function records.options(arguments)
    local options = {}
    for _, argument in ipairs(arguments) do
        local name, value = argument:match("^(%w+)=(.*)$")
        options[name] = tonumber(value) or value
    end
    return options
end

-- Writes wrk's results as one line for Python.
function records.report(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "microseconds": %d, "refused": %d, "failed": %d, "p50": %d, "p95": %d, "p99": %d}\n',
        summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(95), latency:percentile(99)
    ))
end

return records
