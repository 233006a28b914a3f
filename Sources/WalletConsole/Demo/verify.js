import { on, reason, succeeded } from "./api.js";
import { verify } from "./actions.js";
import { busy, button, h, replace } from "./dom.js";
import { count, number, words } from "./format.js";

const answer = h("div", { id: "verdict", role: "status" });
const check = button("Check the books", (event) => busy(event.currentTarget, checkTheBooks), { class: "primary" });

export function showVerify(container) {
    container.append(
        h("div", { class: "panel-head" }, h("p", { text: "Every accounting rule, for all users" }), check), answer);
    on("verified", show);
}

// Checks every invariant; no violations means that the ledger is intact.
export async function checkTheBooks() {
    const entry = await verify();
    show(entry);
    return entry;
}

export const broken = (entry) => entry.answer.invariants.filter((rule) => rule.violations > 0);

export function verdict(entry) {
    if (!succeeded(entry)) return `The books could not be checked: ${reason(entry)}`;
    const found = broken(entry);
    const rules = entry.answer.invariants.length;
    return found.length
        ? `The books violate rules: ${found.map((rule) => `${words(rule.name)} (${number(rule.violations)})`).join(", ")}.`
        : `The books are intact: ${count(rules, "rule")} checked, no violations.`;
}

function show(entry) {
    const isIntact = succeeded(entry) && broken(entry).length === 0;
    replace(answer,
        h("p", { class: "verdict", "data-tone": isIntact ? "good" : "bad", text: verdict(entry) }),
        succeeded(entry) && h("details", { "data-key": "rules" }, h("summary", { text: "Rules" }),
            h("ul", { class: "rules" }, entry.answer.invariants.map((rule) =>
                h("li", { title: rule.sample ?? "" }, words(rule.name), h("b", { text: number(rule.violations) }))))));
}
