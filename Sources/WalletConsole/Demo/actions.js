import { announce, asOperator, get, newUser, post, reason, send, store, succeeded } from "./api.js";
import { state } from "./state.js";

// The actions of users, stores and studios, with one or two requests each.

export const settings = { store: "app_store" };

export const buyInStore = (user, productID, at = settings.store) =>
    store("POST", "purchases", { user_id: user, product_id: productID, store: at });

// Submits the proof of purchase, as an app does after its store has sold something.
export function handIn(user, productID, sold) {
    const proof = sold.purchase_token
        ? { store: "play_store", product_id: productID, purchase_token: sold.purchase_token }
        : { store: "app_store", signed_transaction: sold.signed_transaction };
    return post(user, "/receipts", proof);
}

// Creates a user and opens the wallet before any purchase, so that the store's notifications find the wallet.
export async function arrive(name) {
    const user = await newUser(name);
    await get(user, "/balance");
    return user;
}

export const book = (user, classID, key = crypto.randomUUID()) =>
    post(user, "/bookings", { class_id: classID }, { key });

export const cancel = (user, bookingID) => post(user, `/bookings/${bookingID}/cancel`, undefined);
export const joinWaitlist = (user, classID) => post(user, `/classes/${classID}/waitlist`, {});
export const leaveWaitlist = (user, classID) => send("DELETE", `/classes/${classID}/waitlist`, { user });
export const refund = (transactionID) => store("POST", `transactions/${encodeURIComponent(transactionID)}/refund`);
export const deliver = (id) => store("POST", `notifications/${encodeURIComponent(id)}/redeliver`);

export const storeNow = () => Date.parse(state.clock?.now ?? new Date().toISOString());

// Creates a class as a studio, some days after the store's current time.
export function putClass({ name, title, days, capacity, credits }) {
    const hour = 3_600_000;
    const start = Math.ceil(storeNow() / hour) * hour + days * 24 * hour;
    const id = `demo-${name}-${crypto.randomUUID().slice(0, 8)}`;
    const iso = (instant) => new Date(instant).toISOString().replace(".000Z", "Z");
    return asOperator("PUT", `/operator/classes/${id}`, {
        title, starts_at: iso(start), ends_at: iso(start + 2 * hour), capacity, price: { credits, visits: 1 },
    }).then((entry) => ({ entry, id }));
}

const missed = (notification) => notification.status === null || notification.status >= 500;
export const faultTargets = ["receipt", "server_api", "revenuecat", "play", "notifications"];

export async function takeStoreDown() {
    for (const target of faultTargets) await store("POST", "faults", { target, status: 503, count: 1_000_000 });
}

// A real store repeats failed notifications; here the page requests their delivery.
export async function bringStoreUp() {
    await store("DELETE", "faults");
    const list = await store("GET", "notifications");
    if (!succeeded(list)) return 0;
    const late = list.answer.notifications.filter(missed);
    for (const notification of late) await deliver(notification.id);
    return late.length;
}

// Returns the newest notification about a purchase that the wallet has received.
export async function messageOf(transactionID) {
    const list = await store("GET", "notifications");
    if (!succeeded(list)) return null;
    return list.answer.notifications.findLast((item) => item.status && decoded(item.body).includes(transactionID));
}

// Returns a notification's text with its signed parts decoded.
const decoded = (text) => text.replace(
    /eyJ[\w-]+\.([\w-]+)\.[\w-]+/g, (_, part) => decoded(atob(part.replaceAll("-", "+").replaceAll("_", "/")))
);

// Returns the transaction id that a subscription keeps over all its periods.
export async function originalTransaction(transactionID) {
    const entry = await store("GET", `transactions/${encodeURIComponent(transactionID)}`);
    return succeeded(entry) ? entry.answer.original_transaction_id : null;
}

export const verify = () => send("POST", "/demo/verify", {});

export function toast(text, tone = "plain") {
    announce("toast", { text, tone });
}

export const refusal = (entry) => `${entry.status}: ${reason(entry)}`;
export const settled = () => announce("settled");
