// Optional features of the pages: keyboard shortcuts, forms without history entries, and automatic refresh.

// Refresh only while the page is visible and the user is not interacting with its content. The server does not count
// a refresh as the operator's activity, so the session of an abandoned page still expires.
async function refresh() {
    const content = document.getElementById("content");
    if (document.hidden || content.contains(document.activeElement)) return;
    const answer = await fetch(location.href, { headers: { "X-Requested-With": "refresh" } }).catch(() => null);
    if (answer?.redirected) return location.reload();
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    content.replaceChildren(...page.getElementById("content").childNodes);
}
if (document.querySelector("[data-live]")) setInterval(refresh, 10_000);

const places = {
    t: "/console", m: "/console/list/users", c: "/console/list/classes", b: "/console/list/bookings",
    p: "/console/list/products", i: "/console/list/messages", e: "/console/list/events", r: "/console/reports",
    f: "/console/list/flags", a: "/console/list/audit", h: "/console/health",
};

// Lists the keys in a dialog; the names of the places are those of the navigation.
function showKeys() {
    document.getElementById("keys")?.remove();
    const dialog = document.createElement("dialog");
    dialog.id = "keys";
    dialog.setAttribute("aria-labelledby", "keys-title");
    dialog.innerHTML = '<h2 id="keys-title">Keys</h2><dl></dl><form method="dialog"><button>Close</button></form>';
    const links = [...document.querySelectorAll(".sections a")];
    const named = Object.entries(places).map(([key, address]) =>
        [`g ${key}`, links.find((link) => link.getAttribute("href") === address)?.textContent ?? address]);
    const own = [...document.querySelectorAll("[data-key]")].map((link) => [link.dataset.key, link.firstChild.textContent]);
    for (const [keys, label] of [...own, ["/", "Search"], ["Esc", "Leave the search box"], ["?", "Keys"], ...named]) {
        const [term, text] = [document.createElement("dt"), document.createElement("dd")];
        for (const key of keys.split(" ")) {
            const shown = document.createElement("kbd");
            shown.textContent = key;
            term.append(shown, " ");
        }
        text.textContent = label;
        dialog.querySelector("dl").append(term, text);
    }
    document.body.append(dialog);
    dialog.showModal();
}

// Shows the answer to an action's form in place of the form, so that Back leads to the page before the form instead of
// sending the form again.
addEventListener("submit", async (event) => {
    const form = event.target;
    const content = document.getElementById("content");
    if (form.method !== "post" || !content.contains(form) || !location.pathname.startsWith("/console/actions/")) return;
    event.preventDefault();
    if (form.dataset.sent) return;
    form.dataset.sent = "yes";
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    // Without a recent sign-in, the answer is the sign-in page.
    if (answer?.redirected) return location.assign(answer.url);
    const text = await answer?.text().catch(() => null);
    if (text == null) {
        delete form.dataset.sent;
        const notice = document.createElement("p");
        notice.className = "notice";
        notice.setAttribute("role", "alert");
        notice.textContent = "The service did not answer. Send the form again; it takes effect once.";
        return form.before(notice);
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    content.replaceChildren(...page.getElementById("content").childNodes);
    document.title = page.title;
    scrollTo(0, 0);
    (content.querySelector("[autofocus]") ?? content).focus();
});

// A key that is held down must not confirm the preview that it opened.
addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault();
});

let goes = false;
addEventListener("keydown", (event) => {
    const search = document.getElementById("search");
    if (!search || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search && event.key === "Escape") search.blur();
    // No search begins with one of these two, and the search box has the focus when the first page opens.
    const isCommand = event.key === "/" || event.key === "?";
    const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (typing && !(event.target === search && search.value === "" && isCommand)) return;
    if (event.key === "/" || (goes && event.key === "u")) {
        event.preventDefault();
        search.focus();
        search.select();
    } else if (event.key === "?") {
        event.preventDefault();
        showKeys();
    } else if (goes && Object.hasOwn(places, event.key)) {
        location.assign(places[event.key]);
    } else if (!goes && /^[a-z]$/.test(event.key)) {
        document.querySelector(`[data-key="${event.key}"]`)?.click();
    }
    goes = event.key === "g";
});
