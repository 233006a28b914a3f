// Creates elements, and replaces them without losing the keyboard focus.

export function h(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "text") element.textContent = value;
        else element.setAttribute(key, value === true ? "" : value);
    }
    const isShown = (child) => child !== null && child !== undefined && child !== false;
    element.append(...children.flat(Infinity).filter(isShown));
    return element;
}

// Elements with the same data-key keep the focus, and open details stay open.
export function replace(container, ...children) {
    const focused = container.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.closest("[data-key]")?.dataset.key;
    const open = new Set([...container.querySelectorAll("details[open][data-key]")].map((item) => item.dataset.key));
    const top = container.scrollTop;
    container.replaceChildren(...children.flat(Infinity).filter(Boolean));
    for (const item of container.querySelectorAll("details[data-key]")) item.open = open.has(item.dataset.key);
    container.scrollTop = top;
    if (!focused) return;
    const next = key && [...container.querySelectorAll("[data-key]")].find((item) => item.dataset.key === key);
    const target = next?.matches("details") ? next.querySelector("summary") : next;
    (target && !target.disabled ? target : container.closest("[tabindex]"))?.focus({ preventScroll: true });
}

export function button(label, action, properties = {}) {
    return h("button", { type: "button", "data-key": label, onclick: action, ...properties }, label);
}

// Disables a button while its work is running.
export async function busy(element, work) {
    if (element.getAttribute("aria-disabled") === "true") return;
    element.setAttribute("aria-disabled", "true");
    try {
        await work();
    } finally {
        element.removeAttribute("aria-disabled");
    }
}

export const empty = (text) => h("p", { class: "empty", text });
