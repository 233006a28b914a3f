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
    sell: "purchase", gift: "adjust", key: "key", retry: "repeat",
};
const noise = new Set(["a", "an", "and", "do", "for", "how", "i", "is", "my", "of", "the", "to", "what", "with"]);
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// Returns how well an entry matches: for each word, most if the heading has it and least if only the text has it; 0 if
// it lacks a word.
function rank([heading, detail, , text], wanted) {
    const places = [[wordsOf(heading), 9], [wordsOf(detail), 5], [text.split(" "), 1]];
    let total = 0;
    for (const word of wanted) {
        const known = [word, ...wordsOf(meanings[word] ?? "")];
        const found = places.map(([words, weight]) => {
            if (words.includes(word)) return weight + 1;
            if (words.some((other) => other.startsWith(word))) return weight;
            return known.slice(1).length && known.slice(1).every((other) => words.includes(other)) ? weight - 0.5 : 0;
        });
        const best = Math.max(...found);
        if (!best) return 0;
        total += best;
    }
    return total;
}

async function search() {
    const typed = wordsOf(box.value);
    const wanted = typed.some((word) => !noise.has(word)) ? typed.filter((word) => !noise.has(word)) : typed;
    const entries = wanted.length ? await load() : [];
    const matches = entries.map((entry) => [rank(entry, wanted), entry]).filter(([points]) => points)
        .sort(([one], [other]) => other - one).map(([, entry]) => entry);
    const rows = matches.slice(0, most).map(([heading, detail, address]) =>
        make("li", {}, make("a", { href: address }, make("code", { textContent: heading }), make("span", { textContent: detail }))));
    if (wanted.length && !rows.length) rows.push(make("li", {}, make("p", { textContent: "No operation, problem or guide matches all words." })));
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

// Samples with the address and the ids of this wallet

// The ids of the samples. The class is the first one that a new user can pay with a pack of credits.
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
    const open = classes.filter((item) => item.seats_left > 0);
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

let session;
const demo = () => (session ??= fetch("/demo/session").then((answer) => answer.json()));

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
