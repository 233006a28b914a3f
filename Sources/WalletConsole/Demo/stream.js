import { noteStream, openSession, streamHeaders } from "./api.js";
import { parseExact } from "./exact.js";

// Follows a balance. EventSource cannot send an Authorization field, so the events are read with fetch.
export function follow(userID, { onBalance, onState }) {
    const stop = new AbortController();
    let lastID = null;

    async function read() {
        const started = performance.now();
        const headers = { ...streamHeaders(userID), Accept: "text/event-stream" };
        if (lastID) headers["Last-Event-ID"] = lastID;
        const response = await fetch("/balance/stream", { headers, signal: stop.signal });
        if (!lastID) noteStream(userID, response, started);
        if (response.status === 401) return openSession();
        if (!response.ok) return;
        onState("live");
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            const parts = (rest + value).split(/\r?\n\r?\n/);
            rest = parts.pop();
            parts.forEach(take);
        }
    }

    function take(part) {
        const fields = part.split(/\r?\n/).map((line) => line.match(/^(\w+): ?(.*)$/)).filter(Boolean);
        const data = fields.filter(([, name]) => name === "data").map(([, , value]) => value).join("\n");
        lastID = fields.find(([, name]) => name === "id")?.[2] ?? lastID;
        if (data) onBalance(parseExact(data));
    }

    (async () => {
        while (!stop.signal.aborted) {
            try {
                await read();
            } catch {
                if (stop.signal.aborted) return;
            }
            if (stop.signal.aborted) return;
            onState("waiting");
            await new Promise((done) => setTimeout(done, 1000));
        }
    })();
    return () => stop.abort();
}
