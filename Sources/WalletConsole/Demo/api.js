import { parseExact } from "./exact.js";

// The page's session, and all its requests: to the wallet as a user or an operator, to the store, and to dev.

export const requests = [];
export const news = new EventTarget();
const kept = 150;
const names = new Map();
let session = null;
let counter = 0;

export const announce = (topic, detail) => news.dispatchEvent(new CustomEvent(topic, { detail }));
export const on = (topic, action) => news.addEventListener(topic, (event) => action(event.detail));

export const users = () => session.users.map((user) => ({ ...user, name: names.get(user.user_id) ?? user.name }));
export const nameOf = (userID) => (userID ? users().find((user) => user.user_id === userID)?.name ?? userID : "–");
const tokenOf = (userID) => session.users.find((user) => user.user_id === userID)?.token;

export async function openSession() {
    const query = [...names.keys()].map((userID) => `user=${encodeURIComponent(userID)}`).join("&");
    const response = await fetch(`/demo/session${query ? `?${query}` : ""}`);
    if (!response.ok) throw new Error(`The demo session failed with status ${response.status}.`);
    session = await response.json();
    announce("session");
}

// Creates a new user.
export async function newUser(name) {
    const userID = `demo-${name.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}`;
    names.set(userID, name);
    if (names.size > 6) names.delete(names.keys().next().value);
    await openSession();
    return userID;
}

function headersOf(call) {
    const headers = {};
    const token = call.token ?? (call.operator ? session.operator_token : call.user && tokenOf(call.user));
    if (token) headers.Authorization = `Bearer ${token}`;
    if (call.key) headers["Idempotency-Key"] = call.key;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    return headers;
}

async function exchange(call) {
    const headers = headersOf(call);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const entry = { id: ++counter, at: new Date(), call, headers, body, status: null, answer: null };
    if (!call.quiet) {
        requests.unshift(entry);
        requests.length = Math.min(requests.length, kept);
    }
    const started = performance.now();
    try {
        const response = await fetch(call.path, { method: call.method, headers, body });
        const text = await response.text();
        entry.status = response.status;
        const isJSON = (response.headers.get("Content-Type") ?? "").includes("json");
        entry.answer = isJSON && text ? parseExact(text) : text || null;
    } catch {
        entry.status = 0;
        entry.answer = { title: "No response", detail: "credit-wallet dev does not respond. Check that it is running." };
    }
    entry.milliseconds = Math.round(performance.now() - started);
    if (!call.quiet) announce("request", entry);
    return entry;
}

// Sends a request; if its token is refused, refreshes the tokens and retries once.
export async function send(method, path, call = {}) {
    const entry = await exchange({ ...call, method, path });
    if (entry.status !== 401 || call.token) return entry;
    await openSession();
    return exchange({ ...call, method, path });
}

export const get = (user, path, call = {}) => send("GET", path, { user, ...call });
export const post = (user, path, body, call = {}) => send("POST", path, { user, body, ...call });
export const store = (method, path, body) => send(method, `/demo/store/${path}`, { body, store: true });
export const asOperator = (method, path, body) =>
    send(method, path, { operator: true, body, key: crypto.randomUUID() });

export const succeeded = (entry) => entry.status >= 200 && entry.status < 300;

// Returns the response's reason in a sentence.
export function reason(entry) {
    const answer = entry.answer ?? {};
    const text = typeof answer === "string"
        ? answer
        : answer.detail ?? answer.title ?? answer.error ?? "no reason given";
    return /[.?!]$/.test(text) ? text : `${text}.`;
}

export const streamHeaders = (userID) => ({ Authorization: `Bearer ${tokenOf(userID)}` });

export function noteStream(userID, response, started) {
    const entry = {
        id: ++counter, at: new Date(), call: { method: "GET", path: "/balance/stream", user: userID, stream: true },
        headers: streamHeaders(userID), status: response.status,
        answer: "The stream sends an event for each change of the balance.",
        milliseconds: Math.round(performance.now() - started),
    };
    requests.unshift(entry);
    announce("request", entry);
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// Returns the request as a curl command. Requests to the store use the store's own address.
export function curl(entry) {
    const { call, headers, body } = entry;
    const path = call.path;
    const url = call.store
        ? session.store_url + path.replace("/demo/store/", "/sandbox/")
        : (path.startsWith("/demo/") ? location.origin : session.wallet_url) + path;
    const parts = [call.stream ? "curl -sSN" : "curl -sS"];
    if (call.method !== "GET" && !(call.method === "POST" && body)) parts.push(`-X ${call.method}`);
    parts.push(quote(url));
    for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
    if (body) parts.push(`-d ${quote(body)}`);
    return parts.join(" \\\n  ");
}
