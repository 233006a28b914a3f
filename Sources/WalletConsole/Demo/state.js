import { announce, get, on, send, succeeded } from "./api.js";
import { follow } from "./stream.js";

// The data of the selected user and of the shop; the page reads it again after each change.

export const state = {
    user: null, balance: null, live: "waiting", clock: null,
    classes: [], bookings: [], waitlist: [], passes: [], subscriptions: [], purchases: [], entries: [],
    packs: [], plans: [], inbox: [], events: [],
};

let stopFollowing = () => {};
let reading = null;
let readAgain = false;

export function choose(userID) {
    if (state.user === userID) return;
    depart();
    state.user = userID;
    announce("user");
    stopFollowing = follow(userID, {
        onBalance(balance) {
            if (state.user !== userID) return;
            state.balance = balance;
            announce("balance");
            refresh();
        },
        onState(live) {
            if (state.user !== userID) return;
            state.live = live;
            announce("balance");
        },
    });
    refresh();
}

// Clears the selected user, for example while an account is deleted and created again.
export function depart() {
    stopFollowing();
    Object.assign(state, {
        user: null, balance: null, live: "waiting", bookings: [], waitlist: [], passes: [], subscriptions: [],
        purchases: [], entries: [],
    });
    announce("user");
}

// Combines concurrent refreshes into one more read.
export async function refresh() {
    if (reading) {
        readAgain = true;
        return reading;
    }
    reading = read();
    await reading;
    reading = null;
    if (!readAgain) return;
    readAgain = false;
    await refresh();
}

async function read() {
    const user = state.user;
    if (!user) return;
    const [classes, bookings, passes, subscriptions, purchases, entries] = await Promise.all([
        get(null, "/classes?limit=50"), get(user, "/bookings?limit=50"), get(user, "/passes"),
        get(user, "/subscriptions"), get(user, "/purchases?limit=50"), get(user, "/transactions?limit=50"),
    ]);
    if (state.user !== user) return;
    if (succeeded(classes)) state.classes = classes.answer.classes;
    if (succeeded(bookings)) Object.assign(
        state, { bookings: bookings.answer.bookings, waitlist: bookings.answer.waitlist ?? [] }
    );
    if (succeeded(passes)) state.passes = passes.answer.passes;
    if (succeeded(subscriptions)) state.subscriptions = subscriptions.answer.subscriptions;
    if (succeeded(purchases)) state.purchases = purchases.answer.purchases;
    if (succeeded(entries)) state.entries = entries.answer.entries;
    announce("data");
}

export async function readCatalogue() {
    const [packs, plans] = await Promise.all([get(null, "/packs"), get(null, "/plans")]);
    if (succeeded(packs)) state.packs = packs.answer.packs;
    if (succeeded(plans)) state.plans = plans.answer.plans;
    announce("data");
}

export async function readClock() {
    const answer = await send("GET", "/demo/store/clock", { store: true, quiet: true });
    if (!succeeded(answer)) return;
    state.clock = answer.answer;
    announce("clock");
}

const newest = () => `${state.inbox[0]?.inbox_id}/${state.inbox[0]?.status}/${state.events[0]?.event_id}`;

export async function readActivity() {
    const answer = await send("GET", "/demo/activity", { quiet: true });
    if (!succeeded(answer)) return;
    const before = newest();
    Object.assign(state, answer.answer);
    if (newest() === before) return;
    announce("activity");
    await refresh();
}

// No requests are sent while the page is hidden.
export function keepReading() {
    setInterval(() => { if (!document.hidden) readActivity(); }, 2000);
    on("settled", readActivity);
}

export const product = (id) => [...state.packs, ...state.plans].find((item) => item.product_id === id);
export const productName = (id) => product(id)?.name ?? id;
export const isPlan = (id) => state.plans.some((plan) => plan.product_id === id);
