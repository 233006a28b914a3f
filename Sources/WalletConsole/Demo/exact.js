// Parses JSON without losing digits: integers beyond 2^53 become BigInt.

const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mark = "\u0001exact:";

export function parseExact(text) {
    const marked = text.replace(tokens, (token) => {
        const isLong = token.length > 15 && /^-?\d+$/.test(token);
        return isLong && !Number.isSafeInteger(Number(token)) ? JSON.stringify(mark + token) : token;
    });
    if (marked === text) return JSON.parse(text);
    return JSON.parse(marked, (_, value) =>
        typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}

export function prettyExact(value) {
    const text = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? mark + item : item), 2) ?? "";
    return text.replace(/"\\u0001exact:(-?\d+)"/g, "$1");
}
