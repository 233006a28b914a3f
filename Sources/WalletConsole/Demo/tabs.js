import { h } from "./dom.js";

// Tabs according to the ARIA pattern: arrows, Home and End change the tab, and the list has one tab stop.
export function tabs({ label, items, className }) {
    const list = h("div", { role: "tablist", "aria-label": label, class: className });
    const panels = new Map();
    const buttons = new Map();
    let selected = null;
    let onSelect = () => {};

    function select(id, focus = false) {
        selected = id;
        for (const [other, tab] of buttons) {
            const isSelected = other === id;
            tab.setAttribute("aria-selected", String(isSelected));
            tab.tabIndex = isSelected ? 0 : -1;
            panels.get(other).hidden = !isSelected;
            if (isSelected && focus) tab.focus();
        }
        onSelect(id);
    }

    for (const item of items) {
        const tab = h("button", {
            type: "button", role: "tab", id: `tab-${item.id}`, "aria-controls": `panel-${item.id}`,
            onclick: () => select(item.id),
        }, item.label, h("span", { class: "count", "aria-hidden": "true" }));
        buttons.set(item.id, tab);
        list.append(tab);
        panels.set(item.id, h("div", {
            role: "tabpanel", id: `panel-${item.id}`, class: "tabpanel",
            "aria-labelledby": `tab-${item.id}`, tabindex: "0",
        }));
    }

    list.addEventListener("keydown", (event) => {
        const ids = [...buttons.keys()];
        const at = ids.indexOf(selected);
        const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        select(ids[(next + ids.length) % ids.length], true);
    });

    select(items[0].id);
    return {
        list,
        panels: [...panels.values()],
        panel: (id) => panels.get(id),
        tab: (id) => buttons.get(id),
        setCount: (id, value) => { buttons.get(id).querySelector(".count").textContent = value || ""; },
        select,
        get selected() { return selected; },
        set onSelect(action) { onSelect = action; },
    };
}
