// Optional features of the pages: keyboard shortcuts and automatic refresh.

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
    o: "/console", m: "/console/list/users", c: "/console/list/classes", p: "/console/list/products", i: "/console/list/messages",
    e: "/console/list/events", r: "/console/reports", f: "/console/list/flags", a: "/console/list/audit",
    h: "/console/health",
};
let goes = false;
addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById("search");
    if (search && (event.key === "/" || (goes && event.key === "u"))) {
        event.preventDefault();
        search.focus();
        search.select();
    } else if (goes && Object.hasOwn(places, event.key)) {
        location.assign(places[event.key]);
    }
    goes = event.key === "g";
});
