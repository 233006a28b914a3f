import { announce, on, openSession, users } from "./api.js";
import { showControls } from "./controls.js";
import { clock } from "./format.js";
import { showPhone } from "./phone.js";
import { showRecords } from "./records.js";
import { showRequests } from "./requests.js";
import { showScenarios } from "./scenarios.js";
import { choose, keepReading, readActivity, readCatalogue, readClock, state } from "./state.js";
import { showUsers } from "./users.js";
import { showVerify } from "./verify.js";

const place = (id) => document.getElementById(id);

function showClock() {
    place("clock").textContent = clock(state.clock.now);
    place("clock").dateTime = state.clock.now;
}

async function start() {
    await openSession();
    on("clock", showClock);
    showScenarios(place("scenarios"), place("story"));
    showUsers(place("users"));
    showPhone(place("phone"));
    showControls(place("controls"));
    showVerify(place("verify"));
    showRecords(place("records"));
    showRequests(place("requests"));
    await Promise.all([readCatalogue(), readClock(), readActivity()]);
    choose(users()[0].user_id);
    keepReading();
    setInterval(readClock, 30_000);
    document.body.dataset.ready = "yes";
}

start().catch((error) => {
    const line = document.createElement("p");
    line.className = "noscript";
    line.setAttribute("role", "alert");
    line.textContent = `The demo cannot start: ${error.message}`;
    document.querySelector("main").prepend(line);
    announce("failed");
});
