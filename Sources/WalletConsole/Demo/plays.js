import * as act from "./actions.js";
import { get, openSession, post, reason, send, succeeded, users } from "./api.js";
import { amount, count, number } from "./format.js";
import { choose, depart } from "./state.js";
import { expect } from "./story.js";

const credits = { starter: 25, explorer: 50, enthusiast: 100 };
const productID = (name) => `com.hobbyist.bookingapp.credits.${name}`;
const same = (left, right) => BigInt(left) === BigInt(right);

async function held(user) {
    const entry = await get(user, "/balance");
    expect(succeeded(entry), reason(entry));
    return entry.answer;
}

async function buy(user, name) {
    const sold = await act.buyInStore(user, productID(name), "app_store");
    expect(succeeded(sold), `The store answered ${act.refusal(sold)}`);
    const entry = await act.handIn(user, productID(name), sold.answer);
    expect(succeeded(entry), `The wallet answered ${act.refusal(entry)}`);
    return { entry, sold: sold.answer };
}

async function putOn(title, name, capacity, price) {
    const { entry, id } = await act.putClass({ name, title, days: 3, capacity, credits: price });
    expect(succeeded(entry), `The class could not be created: ${act.refusal(entry)}`);
    return { entry, id };
}

async function book(user, classID) {
    const entry = await act.book(user, classID);
    expect(succeeded(entry), `The wallet answered ${act.refusal(entry)}`);
    return entry;
}

// Waits for a background change of the wallet, such as the promotion of a user from the waitlist.
async function until(look) {
    for (let tries = 0; tries < 40; tries += 1) {
        const found = await look();
        if (found) return found;
        await new Promise((next) => setTimeout(next, 250));
    }
    return null;
}

const storeFirst = "The store’s notification arrived first; the app’s proof counts as a duplicate.";
const appFirst = "The app’s proof arrived first; the store’s notification changes nothing.";

async function refundAfterSpending(story) {
    const user = await story.step("Rosa opens the app.", async () => {
        const made = await act.arrive("Rosa");
        choose(made);
        const { entry, id } = await putOn("Raku firing", "raku", 8, 20);
        return {
            answers: [entry],
            text: "Her wallet is empty. The studio offers “Raku firing” for 20 credits.",
            value: { id, user: made },
        };
    });
    const bought = await story.step(`She buys Starter, ${credits.starter} credits.`, async () => {
        const { entry, sold } = await buy(user.user, "starter");
        const balance = await held(user.user);
        expect(same(balance.credits, 25), `She has ${number(balance.credits)} credits instead of 25.`);
        return {
            answers: [entry], value: sold,
            text: `She has 25 credits. ${entry.answer.duplicate ? storeFirst : appFirst}`,
        };
    });
    await story.step("She books “Raku firing”.", async () => {
        const entry = await book(user.user, user.id);
        return {
            answers: [entry],
            text: `The booking costs 20 credits; her balance is ${count(entry.answer.balance.credits, "credit")}.`,
        };
    });
    await story.step("The store refunds her purchase.", async () => {
        const entry = await act.refund(bought.transaction_id);
        expect(succeeded(entry), `The store answered ${act.refusal(entry)}`);
        const balance = await until(async () => {
            const now = await held(user.user);
            return same(now.owed_credits, 20) ? now : null;
        });
        expect(balance && same(balance.credits, 0), "The wallet did not take back 5 credits and record 20 as owed.");
        return {
            answers: [entry],
            text: "The wallet takes back the remaining 5 credits and records the 20 spent credits as owed.",
        };
    });
    await story.step("She tries to book another class.", async () => {
        const { id } = await putOn("Saggar firing", "saggar", 8, 20);
        const entry = await act.book(user.user, id);
        expect(entry.status === 402, `The wallet answered ${act.refusal(entry)}`);
        return {
            answers: [entry],
            text: `Refused. ${reason(entry)} The response lists ${count(
                entry.answer.offers.packs.length, "suitable offer"
            )}.`,
        };
    });
    await story.step(`She buys Explorer, ${credits.explorer} credits.`, async () => {
        const { entry } = await buy(user.user, "explorer");
        const balance = await held(user.user);
        expect(
            same(balance.credits, 30) && same(balance.owed_credits, 0),
            `She has ${number(balance.credits)} credits and owes ${number(balance.owed_credits)}.`
        );
        return { answers: [entry], text: "20 credits repay the debt; her balance is 30 credits." };
    });
}

async function lastSeat(story) {
    const { mia, noah, id } = await story.step("A class has one seat, and two people want it.", async () => {
        const [first, second] = [await act.arrive("Mia"), await act.arrive("Noah")];
        choose(first);
        const { entry, id: made } = await putOn("Wheel throwing, one seat", "wheel", 1, 20);
        return {
            answers: [entry],
            text: "The studio offers “Wheel throwing” with a single seat.",
            value: { mia: first, noah: second, id: made },
        };
    });
    await story.step("Both buy Starter.", async () => {
        const { entry } = await buy(mia, "starter");
        const { entry: other } = await buy(noah, "starter");
        return { answers: [entry, other], text: "Mia and Noah have 25 credits each." };
    });
    const { winner, loser, booking } = await story.step("Both devices book at the same moment.", async () => {
        const answers = await Promise.all([act.book(mia, id), act.book(noah, id)]);
        const [won, lost] = succeeded(answers[0]) ? answers : [...answers].reverse();
        expect(
            succeeded(won) && lost.status === 409,
            `The wallet answered ${answers.map((entry) => entry.status).join(" and ")}.`
        );
        const isMia = won === answers[0];
        const names = isMia ? ["Mia", "Noah"] : ["Noah", "Mia"];
        choose(isMia ? noah : mia);
        return {
            answers,
            text: `${names[0]} gets the seat. ${names[1]} is refused: ${reason(lost)} No credits were deducted.`,
            value: { winner: names[0], loser: names[1], booking: won.answer.booking },
        };
    });
    const [winnerID, loserID] = winner === "Mia" ? [mia, noah] : [noah, mia];
    await story.step(`${loser} joins the waitlist.`, async () => {
        const entry = await act.joinWaitlist(loserID, id);
        expect(succeeded(entry), `The wallet answered ${act.refusal(entry)}`);
        return {
            answers: [entry],
            text: `${loser} is at place ${entry.answer.waitlist.place}. The waitlist is free of charge.`,
        };
    });
    await story.step(`${winner} cancels.`, async () => {
        const entry = await act.cancel(winnerID, booking.booking_id);
        expect(succeeded(entry), `The wallet answered ${act.refusal(entry)}`);
        const back = entry.answer.booking.returned;
        return { answers: [entry], text: `The wallet returns ${amount(back.amount, back.unit)} to ${winner}.` };
    });
    await story.step(`The seat goes to ${loser}.`, async () => {
        const promoted = await until(async () => {
            const entry = await get(loserID, "/bookings?limit=50");
            return entry.answer?.bookings?.find((item) => item.class_id === id && item.status === "booked");
        });
        expect(promoted?.from_waitlist, `${loser} has no booking from the waitlist.`);
        const price = amount(promoted.amount, promoted.unit);
        return {
            text: `The wallet booked it automatically for ${price}, code ${promoted.confirmation_code}.`,
        };
    });
}

async function deleteAndRestore(story) {
    const { user, id } = await story.step("Lea opens the app.", async () => {
        const made = await act.arrive("Lea");
        choose(made);
        const { entry, id: classID } = await putOn("Life drawing", "drawing", 10, 30);
        return {
            answers: [entry],
            text: "Her wallet is empty. The studio offers “Life drawing” for 30 credits.",
            value: { user: made, id: classID },
        };
    });
    const sold = await story.step(`She buys Enthusiast, ${credits.enthusiast} credits, and books.`, async () => {
        const { entry, sold: bought } = await buy(user, "enthusiast");
        const booked = await book(user, id);
        return {
            answers: [entry, booked],
            text: `Her balance is ${count(booked.answer.balance.credits, "credit")}.`,
            value: bought,
        };
    });
    await story.step("She deletes her account.", async () => {
        const { token } = users().find((item) => item.user_id === user);
        const entry = await send("DELETE", "/account", { user, token });
        expect(entry.status === 204, `The wallet answered ${act.refusal(entry)}`);
        depart();
        const old = await send("GET", "/balance", { user, token });
        expect(old.status === 401, `The request with the old token returned ${old.status}.`);
        return {
            answers: [entry, old],
            text: "The wallet deletes her user id and all personal text, refuses her old token and cancels her booking.",
        };
    });
    await story.step("She signs in again.", async () => {
        const balance = await until(async () => {
            await openSession();
            const entry = await get(user, "/balance");
            return succeeded(entry) ? entry.answer : null;
        });
        expect(balance && same(balance.credits, 0), "A new token did not open an empty wallet.");
        choose(user);
        return { text: "A new token opens a new, empty wallet. A deletion never leaves credits behind." };
    });
    await story.step("She restores her purchases.", async () => {
        const entry = await post(user, "/restore", { store: "app_store", receipt: sold.receipt });
        expect(succeeded(entry), `The wallet answered ${act.refusal(entry)}`);
        const restored = entry.answer.restored.find((item) => item.result === "restored");
        expect(
            restored && same(entry.answer.balance.credits, 100),
            `The wallet restored ${number(entry.answer.balance.credits)} credits.`
        );
        return {
            answers: [entry],
            text: `The receipt proves the purchase. Restored: ${amount(restored.remaining, restored.unit)}.`,
        };
    });
    await story.step("She restores again, and a stranger submits her receipt.", async () => {
        const again = await post(user, "/restore", { store: "app_store", receipt: sold.receipt });
        const stranger = await act.arrive("Zed");
        const theirs = await post(stranger, "/restore", { store: "app_store", receipt: sold.receipt });
        const balance = await held(stranger);
        expect(
            succeeded(again) && same(again.answer.balance.credits, 100), `The wallet answered ${act.refusal(again)}`
        );
        expect(same(balance.credits, 0), `The stranger has ${number(balance.credits)} credits.`);
        const why = theirs.answer?.skipped?.[0]?.reason ?? reason(theirs);
        return {
            answers: [again, theirs],
            text: `Neither request grants credits. The stranger is refused: ${String(why).replaceAll("-", " ")}`,
        };
    });
}

export const plays = [
    {
        id: "refund",
        title: "Refund after spending",
        about: "The store refunds credits that are already spent.",
        play: refundAfterSpending,
    },
    {
        id: "seat",
        title: "Two devices, one last seat",
        about: "Two users book at once; one joins the waitlist.",
        play: lastSeat,
    },
    {
        id: "restore",
        title: "Delete and restore",
        about: "A deleted user signs in again and restores a purchase.",
        play: deleteAndRestore,
    },
];
