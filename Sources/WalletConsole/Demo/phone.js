import { announce, on, reason, succeeded } from "./api.js";
import * as act from "./actions.js";
import { busy, button, empty, h, replace } from "./dom.js";
import { amount, count, date, dateAndTime, money, number, periods, words } from "./format.js";
import { closeSheet, openSheet } from "./sheet.js";
import { isPlan, product, refresh, state } from "./state.js";
import { tabs } from "./tabs.js";

const parts = tabs({
    label: "App",
    className: "phone-tabs",
    items: [
        { id: "classes", label: "Classes" }, { id: "bookings", label: "Bookings" },
        { id: "passes", label: "Passes" }, { id: "shop", label: "Shop" },
    ],
});
const balance = h("div", { class: "balance" });
const toast = h("p", { class: "toast", role: "status" });
let toastEnds = null;

export function showPhone(container) {
    const screen = h("div", { class: "screen" }, balance, ...parts.panels, parts.list);
    container.append(screen, toast);
    on("balance", showBalance);
    on("user", () => { closeSheet(); showAll(); });
    on("data", showAll);
    on("toast", showToast);
    on(
        "shortage",
        ({ entry, item, key }) => openSheet(
            container, screen, { entry, item, buy: (offer) => buyAndBook(offer, item, key) }
        )
    );
}

function showToast({ text, tone }) {
    clearTimeout(toastEnds);
    toast.dataset.tone = tone;
    toast.textContent = text;
    toastEnds = setTimeout(() => { toast.textContent = ""; }, 9000);
}

function showAll() {
    showBalance();
    replace(parts.panel("classes"), classes());
    replace(parts.panel("bookings"), bookings());
    replace(parts.panel("passes"), passes());
    replace(parts.panel("shop"), shop());
    const upcoming = state.bookings.filter((item) => item.status === "booked").length + state.waitlist.length;
    parts.setCount("bookings", upcoming);
}

function showBalance() {
    const held = state.balance;
    const live = state.live === "live";
    const credits = held ? number(held.credits) : "–";
    replace(balance,
        h("p", { class: "balance-label" }, h("span", { text: "Credits" }),
            h("span", { class: "live", "data-live": state.live, text: live ? "Live" : "Connecting" })),
        h("p", { class: "balance-credits", id: "credits", "data-long": credits.length > 9, text: credits }),
        held && h("p", { class: "balance-more" }, more(held).map((text) => h("span", { text }))));
}

function more(held) {
    const facts = [count(held.visits, "visit")];
    if (held.unlimited) facts.push("unlimited plan");
    if (held.owed_credits) facts.push(`${count(held.owed_credits, "credit")} owed`);
    if (held.owed_visits) facts.push(`${count(held.owed_visits, "visit")} owed`);
    const next = held.upcoming_expirations?.[0];
    if (next?.expires_at) facts.push(`next expiry ${date(next.expires_at)}`);
    return facts;
}

function classes() {
    if (!state.classes.length) {
        return [
            empty("No upcoming classes"), button("Add classes", (event) => busy(event.currentTarget, putClasses))
        ];
    }
    return h("ul", { class: "list" }, state.classes.map(classRow));
}

function classRow(item) {
    const booked = state.bookings.filter((other) => other.class_id === item.class_id && other.status === "booked");
    const place = state.waitlist.find((other) => other.class_id === item.class_id);
    const prices = [
        item.price.credits && count(item.price.credits, "credit"),
        item.price.visits && count(item.price.visits, "visit")
    ];
    const seats = item.seats_left > 0 ? `${number(item.seats_left)} of ${number(item.capacity)} left` : "Full";
    return h("li", { class: "row" },
        h("div", {},
            h("h3", { text: item.title }),
            h("p", { text: dateAndTime(item.starts_at) }),
            h("p", { text: `${prices.filter(Boolean).join(" or ")} · ${seats}` }),
            booked.length > 0 && h("p", { class: "good", text: "Booked" }),
            place && h("p", { class: "good", text: `On the waitlist, place ${place.place}` })),
        classAction(item, place, booked.length > 0));
}

function classAction(item, place, isBooked) {
    const control = (label, action, look) => button(label, (event) => busy(event.currentTarget, () => action(item)),
        { "data-key": `class-${item.class_id}`, "aria-label": `${label}: ${item.title}`, class: look });
    if (item.status !== "scheduled") return h("span", { class: "badge", text: words(item.status) });
    if (isBooked) return null;
    if (place) return control("Leave waitlist", leave);
    return item.seats_left > 0 ? control("Book", book, "primary") : control("Join waitlist", wait);
}

async function putClasses() {
    const wanted = [["pottery", "Pottery for beginners", 2, 12, 20], ["glass", "Glass blowing", 4, 2, 50]];
    for (const [name, title, days, capacity, credits] of wanted) {
        await act.putClass({ name, title, days, capacity, credits });
    }
    await refresh();
}

async function book(item, key = crypto.randomUUID()) {
    const entry = await act.book(state.user, item.class_id, key);
    if (entry.status === 402 && entry.answer.offers) return announce("shortage", { entry, item, key });
    const made = entry.answer?.booking;
    const text = succeeded(entry)
        ? `${made.class_title} is booked for ${amount(made.amount, made.unit)}.`
        : reason(entry);
    await done(text, entry);
}

async function buyAndBook(offer, item, key) {
    const bought = await buy(offer.product_id, offer.quantity ?? 1);
    if (bought) await book(item, key);
    return bought;
}

async function wait(item) {
    const entry = await act.joinWaitlist(state.user, item.class_id);
    await done(
        succeeded(entry)
            ? `You joined the waitlist for ${item.title} at place ${entry.answer.waitlist.place}.`
            : reason(entry),
        entry
    );
}

async function leave(item) {
    const entry = await act.leaveWaitlist(state.user, item.class_id);
    await done(succeeded(entry) ? `You left the waitlist for ${item.title}.` : reason(entry), entry);
}

async function cancel(item) {
    const entry = await act.cancel(state.user, item.booking_id);
    const back = entry.answer?.booking?.returned;
    const text = back && BigInt(back.amount) > 0n
        ? `Returned: ${amount(back.amount, back.unit)}.`
        : "Nothing was returned.";
    await done(succeeded(entry) ? `${item.class_title} is cancelled. ${text}` : reason(entry), entry);
}

async function done(text, entry) {
    act.toast(text, succeeded(entry) ? "good" : "bad");
    act.settled();
    await refresh();
}

function bookings() {
    const booked = state.bookings.filter((item) => item.status === "booked");
    const gone = state.bookings.filter((item) => item.status !== "booked").slice(0, 5);
    if (!booked.length && !gone.length && !state.waitlist.length) return empty("No bookings yet");
    return [
        h("ul", { class: "list" },
            booked.map(bookingRow),
            state.waitlist.map((item) => h("li", { class: "row" },
                h("div", {}, h("h3", { text: item.class_title }),
                    h("p", { text: `${dateAndTime(item.starts_at)} · waitlist, place ${item.place}` })),
                button(
                    "Leave waitlist",
                    (event) => busy(event.currentTarget, () => leave({ ...item, title: item.class_title })),
                    {
                        "data-key": `wait-${item.class_id}`, "aria-label": `Leave waitlist: ${item.class_title}`,
                    }
                )))),
        gone.length > 0 && h("h3", { class: "list-title", text: "Cancelled" }),
        gone.length > 0 && h("ul", { class: "list quiet" }, gone.map((item) => h("li", { class: "row" },
            h("div", {}, h("h3", { text: item.class_title }), h("p", { text: returned(item) }))))),
    ];
}

function returned(item) {
    const back = item.returned;
    const text = back && BigInt(back.amount) > 0n ? `${amount(back.amount, back.unit)} returned` : "nothing returned";
    return item.late_cancel ? `Cancelled late, ${text}` : `${words(item.cancelled_by ?? "user")} cancelled, ${text}`;
}

function bookingRow(item) {
    const { free_until: freeUntil } = item.cancellation;
    const isFree = Date.parse(freeUntil) > act.storeNow();
    const until = isFree ? `Free cancellation until ${dateAndTime(freeUntil)}` : "Free cancellation has ended";
    return h("li", { class: "row" },
        h("div", {},
            h("h3", { text: item.class_title }),
            h("p", { text: `${dateAndTime(item.starts_at)} · ${item.confirmation_code}` }),
            h("p", { text: `${amount(item.amount, item.unit)}${item.from_waitlist ? " · from the waitlist" : ""}` }),
            h("p", { text: until })),
        button("Cancel", (event) => busy(event.currentTarget, () => cancel(item)),
            {
                "data-key": `booking-${item.booking_id}`,
                "aria-label": `Cancel: ${item.class_title}, ${item.confirmation_code}`,
            }));
}

function passes() {
    if (!state.passes.length && !state.subscriptions.length) {
        return empty("No passes or plans yet. Buy them in the shop.");
    }
    return [
        h("ul", { class: "list" },
            state.subscriptions.map((item) => h("li", { class: "row" },
                h("div", {}, h("h3", { text: product(item.product_id)?.name ?? item.product_id }),
                    h("p", { text: `${item.will_renew ? "Renews" : "Ends"} ${date(item.current_period_end)}` })),
                h(
                    "span",
                    {
                        class: "badge",
                        "data-tone": ["active", "trial"].includes(item.status) ? "good" : "warn",
                        text: words(item.status),
                    }
                ))),
            state.passes.map(passRow)),
    ];
}

function passRow(item) {
    const until = item.expires_at ? `until ${date(item.expires_at)}` : "without an expiry date";
    const ended = BigInt(item.remaining) === 0n ? "Used up" : `Was valid ${until}`;
    return h("li", { class: "row" },
        h(
            "div",
            {},
            h("h3", { text: item.name }),
            h("p", { text: item.is_active ? `Valid ${until}` : ended })
        ),
        h(
            "p",
            { class: "fraction" },
            h("strong", { text: number(item.remaining) }),
            ` of ${count(item.granted, "visit")}`
        ));
}

function shop() {
    const groups = [
        ["Packs", state.packs.filter((item) => item.kind !== "pass")],
        ["Passes", state.packs.filter((item) => item.kind === "pass")],
        ["Plans", state.plans],
    ];
    return groups.filter(([, items]) => items.length).flatMap(([title, items]) => [
        h("h3", { class: "list-title", text: title }),
        h("ul", { class: "list" }, items.map(offerRow)),
    ]);
}

export function offerText(item) {
    if (item.unlimited) return "Every class";
    const grants = item.grants ?? { amount: item.total_credits, unit: item.unit };
    return `${amount(grants.amount, grants.unit)}${item.period ? ` ${periods[item.period] ?? item.period}` : ""}`;
}

function offerRow(item) {
    const price = money(item.price);
    return h("li", { class: "row" },
        h("div", {}, h(
            "h4", {}, item.name, item.is_popular && h("span", { class: "badge", "data-tone": "good", text: "Popular" })
        ),
            h("p", { text: offerText(item) })),
        button(price, (event) => busy(event.currentTarget, () => buy(item.product_id)),
            { "data-key": `buy-${item.product_id}`, "aria-label": `Buy ${item.name} for ${price}` }));
}

// Buys as an app does: the store sells, the app submits the proof, and the wallet grants the purchase once.
async function buy(productID, quantity = 1) {
    const user = state.user;
    for (let bought = 0; bought < quantity; bought += 1) {
        const sold = await act.buyInStore(user, productID);
        if (!succeeded(sold)) return done(reason(sold), sold).then(() => false);
        const entry = await act.handIn(user, productID, sold.answer);
        if (!succeeded(entry)) return done(reason(entry), entry).then(() => false);
    }
    const name = product(productID)?.name ?? productID;
    act.toast(`You bought ${name}${isPlan(productID) ? "" : ", granted once"}.`, "good");
    act.settled();
    await refresh();
    return true;
}
