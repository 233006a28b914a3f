import { announce, succeeded } from "./api.js";
import { settled } from "./actions.js";
import { button, h } from "./dom.js";
import { refresh } from "./state.js";
import { broken, checkTheBooks, verdict } from "./verify.js";

const pace = Number(new URLSearchParams(location.search).get("pace") ?? 900);

// A running scenario: each step shows the action and then the wallet's response.
export class Story {
    constructor(item) {
        this.item = item;
        this.list = h("ol", { class: "steps" });
        this.state = h("p", { class: "story-state", role: "status", text: "Playing" });
        this.element = h("article", { "data-state": "playing", "aria-labelledby": "story-title" },
            h("div", { class: "panel-head" }, h("h3", { id: "story-title", text: item.title }), this.state), this.list);
    }

    async play() {
        try {
            await this.item.play(this);
            await this.checkBooks();
            this.end("done", "Finished as expected");
        } catch (error) {
            if (!(error instanceof Unexpected)) console.error(error);
            this.fail(error);
        }
    }

// Runs and shows one step. The work returns its requests and a text that explains them.
    async step(title, work) {
        const said = h("p", { class: "said", text: "…" });
        const item = h("li", { "data-state": "playing" }, h("p", { class: "does", text: title }), said);
        this.list.append(item);
        this.current = item;
        const { answers = [], text, value } = await work();
        said.replaceChildren(
            ...answers.map((entry) => h("span", {
                class: "badge status", "data-tone": tone(entry.status), text: entry.status,
            })), text);
        item.dataset.state = "done";
        settled();
        await refresh();
        await new Promise((next) => setTimeout(next, pace));
        return value;
    }

    checkBooks() {
        return this.step("The wallet checks its books.", async () => {
            const entry = await checkTheBooks();
            expect(succeeded(entry) && broken(entry).length === 0, verdict(entry));
            return { answers: [entry], text: verdict(entry) };
        });
    }

    end(state, text) {
        this.element.dataset.state = state;
        this.state.replaceChildren(text, " ", button("Close", () => {
            this.element.parentElement.hidden = true;
            document.querySelector(`[data-play="${this.item.id}"]`)?.focus();
        }, { class: "quiet small" }));
        announce("story", state);
    }

    fail(error) {
        if (this.current) {
            this.current.dataset.state = "failed";
            this.current.querySelector(".said").textContent = error.message;
        }
        this.end("failed", "Stopped: a step had an unexpected result");
    }
}

const tone = (status) => (status >= 500 ? "bad" : status >= 400 ? "warn" : "good");

class Unexpected extends Error {}

export function expect(condition, text) {
    if (!condition) throw new Unexpected(text);
}
