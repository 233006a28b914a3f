-- Requests that read.
local reading = {}

-- The paths that need no token.
local public = { ["/health"] = true, ["/classes"] = true, ["/packs"] = true }

-- Splits a text such as /balance,/classes.
function reading.paths(text)
    local paths = {}
    for path in text:gmatch("[^,]+") do paths[#paths + 1] = path end
    return paths
end

-- Returns the request of a wallet for a path; the tag is for If-None-Match, or nil.
function reading.request(path, token, wallet, tag)
    return "GET " .. path .. " HTTP/1.1\r\nHost: wallet\r\n"
        .. (public[path] and "" or "Authorization: Bearer " .. token(wallet) .. "\r\n")
        .. (tag and "If-None-Match: " .. tag .. "\r\n" or "") .. "\r\n"
end

return reading
