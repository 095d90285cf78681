// SHA-256 of a text (FIPS 180-4), in hex. The browser's own is there only for https and for this machine; reviews are
// also opened over plain http in a local network.
"use strict";
(() => {
  const primes = [];
  for (let one = 2; primes.length < 64; one++) if (primes.every((prime) => one % prime)) primes.push(one);
  const fraction = (value) => Math.floor((value - Math.floor(value)) * 2 ** 32);
  const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)));
  const turned = (word, by) => (word >>> by) | (word << (32 - by));

  function padded(text) {
    const bytes = new TextEncoder().encode(text);
    const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
    whole.set(bytes);
    whole[bytes.length] = 0x80;
    new DataView(whole.buffer).setUint32(whole.length - 4, bytes.length * 8);
    return new DataView(whole.buffer);
  }

  function block(view, at, state) {
    const words = Array.from({ length: 16 }, (_, place) => view.getUint32(at + 4 * place));
    for (let place = 16; place < 64; place++) {
      const [early, late] = [words[place - 15], words[place - 2]];
      const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words.push((words[place - 16] + low + words[place - 7] + high) >>> 0);
    }
    let [a, b, c, d, e, f, g, h] = state;
    words.forEach((word, place) => {
      const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[place] + word) >>> 0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
    });
    return [a, b, c, d, e, f, g, h].map((word, place) => (word + state[place]) >>> 0);
  }

  function sha256(text) {
    const view = padded(text);
    let state = START;
    for (let at = 0; at < view.byteLength; at += 64) state = block(view, at, state);
    return state.map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  Object.assign(toolgauge, { sha256 });
})();
