import { nameOf, on, openSession, store, succeeded } from "./api.js";
import * as act from "./actions.js";
import { busy, button, h, replace } from "./dom.js";
import { clock, count, money } from "./format.js";
import { isPlan, productName, readClock, refresh, state } from "./state.js";

// The store's buttons: events outside the app, such as purchases, failed cards and the passage of time.

const result = h(
    "p", { class: "result", role: "status", text: "The store notifies the wallet of each of these events." }
);
const memory = { product: null, purchase: null, isDown: sessionStorage.getItem("store-is-down") === "yes" };
const groups = {
    sell: h("div", { class: "panel" }), plan: h("div", { class: "panel" }), time: h("div", { class: "panel" }),
};

export function showControls(container) {
    container.append(groups.sell, groups.plan, groups.time, result);
    on("data", show);
    on("user", show);
    show();
}

function show() {
    replace(groups.sell, sell());
    replace(groups.plan, plan());
    replace(groups.time, time());
}

const title = (text, more) => h("h3", {}, text, more && h("small", { text: more }));

function control(label, action, properties = {}) {
    return button(label, (event) => busy(event.currentTarget, async () => {
        result.textContent = await action();
        act.settled();
        await refresh();
        show();
    }), properties);
}

function choice(label, key, options, selected) {
    const select = h("select", { "data-key": key, onchange: (event) => { memory[key] = event.target.value; show(); } },
        options.map(([value, text]) => h("option", { value, selected: value === selected }, text)));
    return h("label", { class: "field" }, h("span", { text: label }), select);
}

function sell() {
    const products = [...state.packs, ...state.plans];
    memory.product = products.some((item) => item.product_id === memory.product)
        ? memory.product
        : products[1]?.product_id;
    const purchases = state.purchases.filter((item) => !["refunded", "revoked"].includes(item.status));
    const ids = purchases.map((item) => item.transaction_id);
    memory.purchase = ids.includes(memory.purchase) ? memory.purchase : ids[0];
    return [
        title("Sales", state.user && `for ${nameOf(state.user)}`),
        stores(),
        choice(
            "Product",
            "product",
            products.map((item) => [item.product_id, `${item.name}, ${money(item.price)}`]),
            memory.product
        ),
        h("div", { class: "buttons" }, control("Buy", buy, { class: "primary" })),
        purchases.length > 0 && choice("Purchase", "purchase",
            purchases.map((item) => [
                item.transaction_id, `${productName(item.product_id)} …${item.transaction_id.slice(-6)}`
            ]), memory.purchase),
        h("div", { class: "buttons" },
            control("Refund", refund, { disabled: purchases.length === 0 }),
            control("Deliver twice", deliverTwice, { disabled: purchases.length === 0 })),
    ];
}

function stores() {
    const option = (value, text) => h("label", {},
        h("input", {
            type: "radio", name: "store", value, "data-key": value, checked: act.settings.store === value,
            onchange: () => { act.settings.store = value; },
        }), h("span", { text }));
    return h("fieldset", { class: "segments" }, h("legend", { class: "visually-hidden", text: "Store" }),
        option("app_store", "App Store"), option("play_store", "Google Play"));
}

async function buy() {
    const entry = await act.buyInStore(state.user, memory.product);
    return succeeded(entry)
        ? `${nameOf(state.user)} bought ${productName(memory.product)} with the app closed. The store notifies the wallet.`
        : act.refusal(entry);
}

async function refund() {
    const id = memory.purchase;
    const entry = await act.refund(id);
    return succeeded(entry) ? `The store refunded the purchase …${id.slice(-6)}.` : act.refusal(entry);
}

async function deliverTwice() {
    const message = await act.messageOf(memory.purchase);
    if (!message) return "The store has not delivered a message about this purchase yet.";
    const entry = await act.deliver(message.id);
    return succeeded(entry)
        ? `${message.type} was delivered again. The wallet answered ${entry.answer.status} and counted it once.`
        : act.refusal(entry);
}

function plan() {
    const newest = state.purchases.find((item) => isPlan(item.product_id));
    const step = (label, path, body, text) => control(
        label, () => move(newest, path, body, text), { disabled: !newest }
    );
    return [
        title("Subscription", newest ? productName(newest.product_id) : "Buy a plan first"),
        h("div", { class: "buttons" },
            step("Renew", "renew", undefined, "The store charged the next period."),
            step(
                "Fail a payment",
                "billing-issue",
                { grace_days: 6 },
                "The card failed. The store grants six days of grace."
            ),
            step("Pause", "pause", undefined, "The plan pauses when the paid period ends."),
            step("Resume", "resume", undefined, "The plan continues."),
            step("Turn off renewal", "cancel", undefined, "The plan ends with the paid period.")),
    ];
}

async function move(purchase, path, body, text) {
    const original = await act.originalTransaction(purchase.transaction_id);
    if (!original) return "The store has no such subscription.";
    const entry = await store("POST", `subscriptions/${encodeURIComponent(original)}/${path}`, body);
    if (!succeeded(entry) && path === "pause" && purchase.store === "app_store") {
        return "The App Store cannot pause plans. Buy the plan in Google Play to try it.";
    }
    return succeeded(entry) ? text : act.refusal(entry);
}

function time() {
    return [
        title("Time and outages"),
        h("div", { class: "buttons" },
            control("Advance one day", () => advance(86_400)),
            control("Advance one month", () => advance(31 * 86_400)),
            button("Simulate a store outage", (event) => busy(event.currentTarget, toggleStore),
                { "aria-pressed": String(memory.isDown), class: "toggle" })),
    ];
}

async function advance(seconds) {
    const entry = await store("POST", "clock", { advance_seconds: seconds });
    if (!succeeded(entry)) return act.refusal(entry);
    await openSession();
    await readClock();
    return `Store and wallet clock: ${clock(entry.answer.now)}. Due renewals and expirations were processed.`;
}

async function toggleStore() {
    memory.isDown = !memory.isDown;
    sessionStorage.setItem("store-is-down", memory.isDown ? "yes" : "no");
    if (memory.isDown) {
        await act.takeStoreDown();
        result.textContent = "The store answers 503 and loses its notifications. "
            + "Buy something to see what the wallet can still do.";
    } else {
        const late = await act.bringStoreUp();
        result.textContent = `The store is back and delivered ${count(late, "missed notification")}.`;
    }
    act.settled();
    show();
    await refresh();
}
