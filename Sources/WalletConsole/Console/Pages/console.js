// What the pages can do without: keys, and times in the viewer's zone.

const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.valueOf())) time.textContent = form.format(instant);
}

const places = {
    o: "/console", c: "/console/list/classes", p: "/console/list/products", i: "/console/list/messages",
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
