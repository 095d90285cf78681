// Numbers as the site's pages write them when they are made: rounded half to even, with a minus sign.
"use strict";
(() => {
  // Like Python's format: toFixed rounds a number that lies exactly between two away from zero.
  function fixed(number, digits) {
    const size = Math.abs(number);
    const exact = size.toFixed(60);
    const cut = exact.indexOf(".") + 1 + digits;
    const tied = /^50*$/.test(exact.slice(cut));
    const even = tied && Number(exact[exact[cut - 1] === "." ? cut - 2 : cut - 1]) % 2 === 0;
    const text = even ? exact.slice(0, digits ? cut : cut - 1) : size.toFixed(digits);
    return number < 0 && Number(text) ? `−${text}` : text;
  }

  const percent = (rate) => (rate === null ? "–" : fixed(100 * rate, 1));

  // A difference with its sign; what rounds to nothing has none.
  function points(difference, digits = 1, times = 100) {
    if (difference === null) return "–";
    const text = fixed(times * difference, digits);
    return difference > 0 && Number(text) ? `+${text}` : text;
  }

  function probability(p) {
    if (p === null) return "–";
    return p < 0.0001 ? "< 0.0001" : fixed(p, 4);
  }

  Object.assign(toolgauge, { numbers: { fixed, percent, points, probability } });
})();
