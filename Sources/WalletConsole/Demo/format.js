// Formats numbers, prices and dates.

const whole = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const second = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const number = (value) => whole.format(value);

export const signed = (value) => (value > 0 ? `+${number(value)}` : value < 0 ? `−${number(-value)}` : "0");

export const plural = (value, word) => ["1", "-1"].includes(String(value)) ? word : `${word}s`;
export const count = (value, word) => `${number(value)} ${plural(value, word)}`;

export function amount(value, unit) {
    return unit ? count(value, unit) : "nothing";
}

export function money(price) {
    return new Intl.NumberFormat("en", { style: "currency", currency: price.currency }).format(price.amount);
}

export const date = (text) => dayAndYear.format(new Date(text));
export const dateAndTime = (text) => `${day.format(new Date(text))}, ${minute.format(new Date(text))}`;
export const time = (text) => second.format(new Date(text));
export const clock = (text) => `${dayAndYear.format(new Date(text))}, ${minute.format(new Date(text))}`;

export const periods = { P1W: "a week", P1M: "a month", P3M: "3 months", P6M: "6 months", P1Y: "a year" };

// Converts "credits.granted" and "late_cancel" to words.
export const words = (slug) => String(slug).replace(/[._-]+/g, " ").replace(/^./, (letter) => letter.toUpperCase());
