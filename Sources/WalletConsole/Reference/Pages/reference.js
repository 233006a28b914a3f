// The search, the copy buttons and, in `dev`, "Try it". The pages are complete without this script.
const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
};

// Search

const box = document.getElementById("search");
const results = document.getElementById("results");
const found = document.getElementById("found");
const most = 12;
let index;

const load = () => (index ??= fetch("/docs/search.json").then((answer) => answer.json()));

// Words that people use for the words of the documents, and words that say nothing.
const meanings = {
    jwt: "token", login: "token", signin: "token", auth: "token", authentication: "token", refunds: "refund",
    reserve: "book", reservation: "booking", checkin: "check in", noshow: "no show", webhook: "event", money: "price",
    sell: "purchase", gift: "adjust", retry: "repeat", enough: "insufficient", unsubscribe: "cancel",
};
const noise = new Set(["a", "an", "and", "do", "for", "how", "i", "is", "my", "of", "the", "to", "what", "with"]);
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// Returns how many words an entry lacks and how well it matches the others: most if the heading has a word, least if
// only the text has it. The documents' word for a typed one counts less than the word itself.
function rank([heading, detail, address, text], wanted) {
    const places = [[wordsOf(heading), 9], [wordsOf(detail), 5], [text.split(" "), 1]];
    let [missing, points] = [0, 0];
    for (const word of wanted) {
        const meant = wordsOf(meanings[word] ?? "");
        const best = Math.max(...places.map(([words, weight]) => {
            if (words.includes(word)) return weight + 1;
            if (words.some((other) => other.startsWith(word))) return weight;
            return meant.length && meant.every((other) => words.includes(other)) ? 0.5 + weight / 10 : 0;
        }));
        if (best) points += best;
        else missing += 1;
    }
    // The paths of edge functions repeat other operations.
    return { missing, points: address.startsWith("/docs/supabase") ? points / 1.5 : points };
}

async function search() {
    const typed = wordsOf(box.value);
    const wanted = typed.some((word) => !noise.has(word)) ? typed.filter((word) => !noise.has(word)) : typed;
    const entries = wanted.length ? await load() : [];
    const ranked = entries.map((entry) => ({ entry, ...rank(entry, wanted) })).filter(({ points }) => points);
    // If no entry has all words, those that have the most.
    const fewest = Math.min(...ranked.map(({ missing }) => missing));
    const matches = ranked.filter(({ missing }) => missing === fewest).sort((one, other) => other.points - one.points);
    const rows = matches.slice(0, most).map(({ entry: [heading, detail, address] }) =>
        make("li", {}, make("a", { href: address }, make("code", { textContent: heading }), make("span", { textContent: detail }))));
    if (wanted.length && !rows.length) rows.push(make("li", {}, make("p", { textContent: "No operation, problem or guide has these words." })));
    results.replaceChildren(...rows);
    results.hidden = !wanted.length;
    found.textContent = wanted.length ? `${matches.length} found` : "";
}

function close() {
    results.hidden = true;
    box.focus();
}

function move(event) {
    const stops = [box, ...results.querySelectorAll("a")];
    const place = stops.indexOf(document.activeElement);
    if (event.key === "Escape") {
        if (document.activeElement === box) box.value = "";
        close();
    } else if (event.key === "ArrowDown") {
        stops[Math.min(place + 1, stops.length - 1)].focus();
    } else if (event.key === "ArrowUp") {
        stops[Math.max(place - 1, 0)].focus();
    } else if (event.key === "Enter" && document.activeElement === box) {
        stops[1]?.click();
    } else {
        return;
    }
    event.preventDefault();
}

const area = box.closest(".search");
area.hidden = false;
box.addEventListener("input", search);
box.addEventListener("focus", load, { once: true });
area.addEventListener("keydown", (event) => {
    // On a result, Enter follows the link.
    if (!(event.key === "Enter" && document.activeElement !== box)) move(event);
});
document.addEventListener("click", (event) => {
    if (!area.contains(event.target) || event.target.closest("#results a")) results.hidden = true;
});
document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
});

// The tokens of the demo's users; only in `dev`

let session;
const demo = () => (session ??= fetch("/demo/session").then((answer) => answer.json()));

// Samples with the address and the ids of this wallet

// Returns the classes that the demo's user has booked, which cannot be booked again; none outside `dev`.
async function bookedClasses() {
    if (!document.querySelector(".links a[href='/']")) return [];
    const { users } = await demo();
    const answer = await fetch("/bookings?status=upcoming", { headers: { Authorization: `Bearer ${users[0].token}` } });
    return answer.ok ? (await answer.json()).bookings.map((booking) => booking.class_id) : [];
}

// The class is the first one that a user can pay with a small pack of credits.
async function useOwnIDs() {
    const samples = [...document.querySelectorAll("figure code, .try input, .try textarea")];
    const change = (from, to) => {
        for (const sample of samples) {
            if ("value" in sample) sample.value = sample.value.replaceAll(from, to);
            else if (sample.textContent.includes(from)) sample.innerHTML = sample.innerHTML.replaceAll(from, to);
        }
    };
    change("http://127.0.0.1:8080", location.origin);
    const answer = await fetch("/classes?limit=50").catch(() => null);
    const { classes } = answer?.ok ? await answer.json() : { classes: [] };
    const booked = await bookedClasses().catch(() => []);
    const open = classes.filter((item) => item.seats_left > 0 && !booked.includes(item.class_id));
    const own = open.find((item) => item.price.credits && item.price.credits <= 50) ?? open[0];
    if (own) change("ceramics-1", own.class_id);
    document.body.dataset.ids = "own";
}
if (document.querySelector("figure code")) useOwnIDs();

// Copy

for (const figure of document.querySelectorAll("figure")) {
    const caption = figure.querySelector("figcaption");
    const button = make("button", { type: "button", textContent: "Copy" });
    button.setAttribute("aria-label", `Copy: ${caption.textContent}`);
    button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(figure.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    caption.append(button);
}

// Try it; only in the pages of `dev`

async function call(form) {
    let path = form.dataset.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const input of form.querySelectorAll("input")) {
        if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
        else if (!input.value) continue;
        else if (input.dataset.place === "query") query.set(input.name, input.value);
        else headers[input.name] = input.value;
    }
    const { users, operator_token: operator } = form.dataset.token ? await demo() : {};
    if (form.dataset.token) headers.Authorization = `Bearer ${form.dataset.token === "user" ? users[0].token : operator}`;
    const body = form.elements.body?.value || undefined;
    if (body) headers["Content-Type"] = "application/json";
    const address = query.size ? `${path}?${query}` : path;
    const answer = await fetch(address, { method: form.dataset.method, headers, body });
    return `${answer.status} ${answer.statusText}\n\n${await read(answer)}`;
}

// Returns the text, because integers may exceed JavaScript's range. Of an endless stream, returns only the beginning.
async function read(answer) {
    if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer.text();
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (let part; !text.includes("data:") && !(part = await reader.read()).done;) {
        text += decoder.decode(part.value, { stream: true });
    }
    await reader.cancel();
    return text;
}

for (const form of document.querySelectorAll(".try form")) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const said = form.querySelector(".said");
        try {
            said.replaceChildren(make("pre", { tabIndex: 0, textContent: await call(form) }));
        } catch (error) {
            said.replaceChildren(make("pre", { tabIndex: 0, textContent: `No response: ${error.message}` }));
        }
    });
}
