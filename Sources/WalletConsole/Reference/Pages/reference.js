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

async function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const entries = words.length ? await load() : [];
    const matches = entries.filter(([heading, detail]) => {
        const text = `${heading} ${detail}`.toLowerCase();
        return words.every((word) => text.includes(word));
    });
    const rows = matches.slice(0, most).map(([heading, detail, address]) =>
        make("li", {}, make("a", { href: address }, make("code", { textContent: heading }), make("span", { textContent: detail }))));
    if (words.length && !rows.length) rows.push(make("li", {}, make("p", { textContent: "No operation or problem matches all words." })));
    results.replaceChildren(...rows);
    results.hidden = !words.length;
    found.textContent = words.length ? `${matches.length} found` : "";
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
