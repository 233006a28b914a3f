import { nameOf, on } from "./api.js";
import { empty, h, replace } from "./dom.js";
import { number, plural, signed, time, words } from "./format.js";
import { state } from "./state.js";
import { prettyExact } from "./exact.js";
import { tabs } from "./tabs.js";

// The ledger of the selected user, and the inbox and events of all users.

const parts = tabs({
    label: "Records",
    className: "tabs",
    items: [{ id: "ledger", label: "Ledger" }, { id: "inbox", label: "Inbox" }, { id: "events", label: "Events" }],
});

const sources = { app_store: "App Store", google_play: "Google Play", revenuecat: "RevenueCat" };
const shown = (list) => (list.length < 50 ? list.length : "50+");

export function showRecords(container) {
    container.append(parts.list, ...parts.panels);
    for (const topic of ["data", "activity", "user", "session"]) on(topic, show);
    show();
}

function show() {
    replace(parts.panel("ledger"), ledger());
    replace(parts.panel("inbox"), inbox());
    replace(parts.panel("events"), events());
    parts.setCount("ledger", shown(state.entries));
    parts.setCount("inbox", shown(state.inbox));
    parts.setCount("events", shown(state.events));
}

function table(caption, heads, rows) {
    return h("table", {}, h("caption", { class: "visually-hidden", text: caption }),
        h("thead", {}, h("tr", {}, heads.map(([text, look]) => h("th", { scope: "col", class: look, text })))),
        h("tbody", {}, rows));
}

function ledger() {
    if (!state.entries.length) return empty("No ledger entries yet. Buy something in the app.");
    return table(`Ledger of ${nameOf(state.user)}`,
        [["No.", "number"], ["Time"], ["Entry"], ["Change", "number"], ["Balance", "number"], ["Hash", "hash"]],
        state.entries.map((entry) => h("tr", {},
            h("td", { class: "number", text: number(entry.version) }),
            h("td", { text: time(entry.at) }),
            h("td", { text: words(entry.kind) }),
            h("td", { class: "number strong", "data-sign": entry.amount < 0 ? "minus" : "plus" },
                signed(entry.amount), entry.unit && h("small", { text: ` ${plural(entry.amount, entry.unit)}` })),
            h("td", { class: "number", text: number(entry.balance_after) }),
            h("td", { class: "hash" }, h("code", { title: entry.hash, text: entry.hash.slice(0, 8) })))));
}

function inbox() {
    if (!state.inbox.length) return empty("No store messages yet");
    return table("Store messages", [["No.", "number"], ["Time"], ["From"], ["Message"], ["Status"]],
        state.inbox.map((message) => h("tr", {},
            h("td", { class: "number", text: number(message.inbox_id) }),
            h("td", { text: time(message.received_at) }),
            h("td", { text: sources[message.source] ?? words(message.source) }),
            h("td", { class: "message" }, h("code", { text: message.type })),
            h(
                "td",
                {},
                h(
                    "span",
                    {
                        class: "badge",
                        "data-tone": message.status === "processed" ? "good" : "warn",
                        text: message.reason ?? words(message.status),
                    }
                )
            ))));
}

function events() {
    if (!state.events.length) return empty("No events yet");
    return h("ol", { class: "entries" }, state.events.map((event) => h("li", {},
        h("details", { "data-key": `event-${event.event_id}` },
            h("summary", {},
                h("span", { class: "when", text: time(event.at) }),
                h("code", { text: event.type }),
                h("span", { class: "who", text: nameOf(event.user_id) })),
            h("pre", { tabindex: "0", "aria-label": "Details", text: prettyExact(event.details) })))));
}
