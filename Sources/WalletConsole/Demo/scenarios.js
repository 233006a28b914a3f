import { busy, h, replace } from "./dom.js";
import { plays } from "./plays.js";
import { Story } from "./story.js";

// One card for each scenario; the steps of the running scenario appear below.

let isPlaying = false;

export function showScenarios(container, place) {
    container.append(...plays.map((item) => h("button", {
        type: "button", class: "card", "data-play": item.id,
        onclick: (event) => busy(event.currentTarget, () => start(item, container, place)),
    }, h("strong", { text: item.title }), h("span", { text: item.about }))));
}

async function start(item, container, place) {
    if (isPlaying) return;
    isPlaying = true;
    for (const card of container.children) {
        card.setAttribute("aria-disabled", "true");
        card.classList.toggle("playing", card.dataset.play === item.id);
    }
    const story = new Story(item);
    place.hidden = false;
    replace(place, story.element);
    await story.play();
    for (const card of container.children) card.removeAttribute("aria-disabled");
    isPlaying = false;
}
