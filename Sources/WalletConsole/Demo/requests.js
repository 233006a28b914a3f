import { curl, nameOf, on, requests } from "./api.js";
import { button, empty, h, replace } from "./dom.js";
import { prettyExact } from "./exact.js";
import { time } from "./format.js";

// All requests of this page, each also available as a curl command.

const list = h("div", { class: "scroll", role: "region", "aria-labelledby": "requests-title", tabindex: "0" });
const copied = h("span", { class: "visually-hidden", role: "status" });
let showsReads = false;

export function showRequests(container) {
    const reads = h("input", { type: "checkbox", onchange: (event) => { showsReads = event.target.checked; show(); } });
    container.append(
        h("div", { class: "panel-head" },
            h("h3", { id: "requests-title", text: "Requests" }),
            h("label", { class: "check" }, reads, "Show reads"), copied),
        list);
    on("request", show);
    on("session", show);
    show();
}

const isRead = ({ call }) => call.method === "GET" && !call.stream;

function show() {
    const shown = requests.filter((entry) => showsReads || !isRead(entry)).slice(0, 60);
    replace(list, shown.length ? h("ol", { class: "entries" }, shown.map(row)) : empty("No requests yet"));
}

function who({ call }) {
    if (call.store) return "Store";
    if (call.operator) return "Operator";
    return call.user ? nameOf(call.user) : call.who ?? "";
}

// Shortens ids, so that the end of the path is visible.
const shortPath = (path) =>
    path.replace(/[^/?]*\d[^/?]*/g, (part) => (part.length < 16 ? part : `…${part.slice(-6)}`));

const tone = (status) => (status >= 500 || status === 0 ? "bad" : status >= 400 ? "warn" : "good");

function row(entry) {
    const { call, status } = entry;
    const path = call.store ? call.path.replace("/demo/store/", "/sandbox/") : call.path;
    return h("li", {},
        h("details", { "data-key": `request-${entry.id}` },
            h("summary", {},
                h(
                    "span",
                    {
                        class: "badge status",
                        "data-tone": status === null ? "plain" : tone(status),
                        text: status === null ? "…" : status || "–",
                    }
                ),
                h("code", {}, h("b", { text: call.method }), ` ${shortPath(path)}`),
                h("span", { class: "who", text: who(entry) })),
            h("p", { class: "caption", text: `${time(entry.at)}, ${entry.milliseconds ?? "…"} ms` }),
            h("pre", { tabindex: "0", "aria-label": "As curl", text: curl(entry) }),
            entry.answer !== null && h(
                "pre", { tabindex: "0", "aria-label": "Response", text: shortened(entry.answer) }
            )),
        button("Copy as curl", (event) => copy(entry, event.currentTarget),
            {
                class: "quiet small",
                "data-key": `copy-${entry.id}`,
                "aria-label": `Copy as curl: ${call.method} ${path}`,
            }));
}

const shortened = (answer) => (typeof answer === "string" ? answer : prettyExact(answer))
    .replace(/"([^"]{160})[^"]*"/g, '"$1…"');

async function copy(entry, element) {
    try {
        await navigator.clipboard.writeText(curl(entry));
        element.textContent = "Copied";
        copied.textContent = "Copied as curl.";
    } catch {
        element.closest("li").querySelector("details").open = true;
        element.textContent = "Copy from text";
        copied.textContent = "The browser blocked copying. Copy the command from the text.";
    }
    setTimeout(() => { element.textContent = "Copy as curl"; copied.textContent = ""; }, 2000);
}
