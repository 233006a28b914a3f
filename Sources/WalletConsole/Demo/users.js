import { arrive } from "./actions.js";
import { on, users } from "./api.js";
import { busy, button, h, replace } from "./dom.js";
import { choose, state } from "./state.js";

const names = ["Dana", "Eli", "Fay", "Gus", "Hana", "Ivo"];

export function showUsers(container) {
    const show = () => replace(container, switcher());
    on("session", show);
    on("user", show);
    show();
}

function switcher() {
    return h("fieldset", { class: "users" },
        h("legend", { class: "visually-hidden", text: "User" }),
        users().map((user) => h("label", {},
            h("input", {
                type: "radio", name: "user", value: user.user_id, "data-key": user.user_id,
                checked: user.user_id === state.user, onchange: () => choose(user.user_id),
            }),
            h("span", { text: user.name }))),
        button("New user", (event) => busy(event.currentTarget, async () => {
            choose(await arrive(names[users().length % names.length]));
        }), { class: "quiet" }));
}
