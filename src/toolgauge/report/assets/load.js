// Data of the pages: a file opened from disk may not fetch, so data come as classic scripts (report/site_folder.py says how).
"use strict";
(() => {
  const root = document.querySelector("[data-root]").dataset.root;
  const wanted = new Map();

  // Called by the data files themselves.
  function receive(key, data) {
    const waiting = wanted.get(key);
    if (waiting) inflate(data).then(waiting.resolve, waiting.reject);
  }

  async function inflate(data) {
    const text = atob(data);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // The content of a data file, as a promise; a file that is kept is read once. Keys come from the site, never from an
  // address.
  function load(key, { keep = true } = {}) {
    if (!wanted.has(key)) {
      const waiting = {};
      waiting.promise = new Promise((resolve, reject) => Object.assign(waiting, { resolve, reject }));
      wanted.set(key, waiting);
      const script = document.createElement("script");
      script.src = `${root}${key}.js`;
      script.onerror = () => waiting.reject(new Error(`data/${key}.js`));
      script.onload = () => script.remove();
      document.head.append(script);
      if (!keep) waiting.promise.catch(() => {}).then(() => wanted.delete(key));
    }
    return wanted.get(key).promise;
  }

  Object.assign(toolgauge, { receive, load });
})();
