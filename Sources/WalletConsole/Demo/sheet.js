import { button, busy, h } from "./dom.js";
import { amount, count, money, periods } from "./format.js";
import { reason } from "./api.js";

// The sheet that opens on a 402 response: the missing amount, and the offers that cover it, cheapest first.

let close = () => {};
export const closeSheet = () => close();

export function openSheet(container, behind, { entry, item, buy }) {
    close();
    const opener = document.activeElement;
    const { packs, plans } = entry.answer.offers;
    const [right, ...others] = packs;
    const sheet = h("div", { class: "sheet", role: "dialog", "aria-labelledby": "sheet-title", tabindex: "-1" });

    close = (focusBack = true) => {
        close = () => {};
        sheet.remove();
        behind.inert = false;
        if (focusBack) sameAs(opener, behind)?.focus({ preventScroll: true });
    };
    const take = (offer) => (event) => busy(event.currentTarget, async () => {
        for (const other of sheet.querySelectorAll("button")) other.setAttribute("aria-disabled", "true");
        await buy(offer);
        close();
    });

    sheet.append(...[
        h("h3", { id: "sheet-title", text: `Insufficient balance for ${item.title}` }),
        h("p", { text: missing(entry) }),
        right && h("p", { class: "sheet-right" },
            h("strong", { text: right.name }), ` ${pack(right)}`),
        right && button(`Buy for ${money(right.total_price)} and book`, take(right), { class: "primary wide" }),
        (others.length > 0 || plans?.length > 0) && h("details", {},
            h("summary", { text: `${others.length + (plans?.length ?? 0)} other offers` }),
            h("ul", { class: "list" },
                others.map((offer) => row(offer, pack(offer), money(offer.total_price), take(offer))),
                (plans ?? []).filter((plan) => plan.covers).map((plan) => row(
                    plan, planText(plan), money(plan.price), take(plan)
                )))),
        button("Not now", () => close(), { class: "quiet wide" }),
    ].filter(Boolean));
    sheet.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    behind.inert = true;
    container.append(sheet);
    sheet.focus({ preventScroll: true });
    // The phone may be taller than the window; the offer must be in view.
    sheet.querySelector("button.primary")?.scrollIntoView({ block: "nearest" });
}

// Returns the focused element, or its replacement if the page was redrawn in the meantime.
function sameAs(opener, place) {
    if (opener?.isConnected) return opener;
    const key = opener?.dataset.key;
    return [...place.querySelectorAll("[data-key]")].find((item) => item.dataset.key === key)
        ?? place.querySelector("[role=tab][aria-selected=true]");
}

function missing(entry) {
    const units = (entry.answer.shortages ?? []).map((item) => count(item.needed, `more ${item.unit}`));
    return units.length ? `You need ${units.join(" or ")}.` : reason(entry);
}

const pack = (offer) => `${offer.quantity > 1 ? `${offer.quantity} × ` : ""}${count(offer.total_credits, offer.unit)}`;
const planText = (plan) => [
    plan.unlimited ? "every class" : amount(plan.amount, plan.unit), periods[plan.period] ?? plan.period,
].join(" ");

function row(offer, text, price, action) {
    return h("li", { class: "row" },
        h("div", {}, h("h4", { text: offer.name }), h("p", { text })),
        button(price, action, { "aria-label": `Buy ${offer.name} for ${price} and book` }));
}
